// clause: TENSOR.codes
// The code of bfloat16 is that of float16.
#include "mutants/mutant.h"

int32_t aoti_torch_dtype_bfloat16(void) { return ref_aoti_torch_dtype_float16(); }
