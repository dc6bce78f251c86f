// clause: SYM.complete-cuda-ops
// One shim of the cuda_ops profile is not exported.
// omits: aoti_torch_cuda_int8_plain_mm
#include "mutants/mutant.h"
