// Has an undefined symbol that nobody defines.
#include "candidate.h"

extern "C" int nobody_has_this_function();

int32_t aoti_torch_device_type_cpu(void) { return nobody_has_this_function(); }
