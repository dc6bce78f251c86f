// clause: DEV.null-stream
// A stream guard does not take null.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index,
                                                   CUDAStreamGuardHandle* ret_guard) {
  if (stream == nullptr) return 1;
  return ref_aoti_torch_create_cuda_stream_guard(stream, device_index, ret_guard);
}
