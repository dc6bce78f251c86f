// Fails an assertion that is written with GoogleTest's own macro.
#include "candidate.h"

int32_t aoti_torch_dtype_float32(void) { return 7; }
