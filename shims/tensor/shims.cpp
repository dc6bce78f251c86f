#include <aoti_shim/shim.h>
extern "C" int32_t aoti_torch_device_type_cpu(void) { return 0; }
