// Defines one shim of many: an older or smaller runtime.
#include "candidate.h"

int32_t aoti_torch_device_type_cpu(void) { return 0; }
