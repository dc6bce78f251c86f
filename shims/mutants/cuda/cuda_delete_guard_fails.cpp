// clause: TENSOR.delete-guard-succeeds
// Deleting a stream guard restores and then reports an error.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_delete_cuda_stream_guard(CUDAStreamGuardHandle guard) {
  ref_aoti_torch_delete_cuda_stream_guard(guard);
  return 1;
}
