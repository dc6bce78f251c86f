// Needs a library that is not there.
#include "candidate.h"

extern "C" int absent_function();

int32_t aoti_torch_device_type_cpu(void) { return absent_function(); }
