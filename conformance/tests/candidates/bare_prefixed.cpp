// Exports under the prefix executorch_ only.
#include "candidate.h"

extern "C" EXPORTED int32_t executorch_aoti_torch_device_type_cpu() { return 0; }
