// clause: SYM.complete-cuda
// One shim of the cuda profile is not exported.
// omits: aoti_torch_get_current_cuda_stream
#include "mutants/mutant.h"
