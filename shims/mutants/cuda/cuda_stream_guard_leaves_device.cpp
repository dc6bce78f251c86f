// clause: DEV.stream-guard-device
// A stream guard does not make its device current.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index,
                                                   CUDAStreamGuardHandle* ret_guard) {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) return 1;
  const AOTITorchError error =
      ref_aoti_torch_create_cuda_stream_guard(stream, device_index, ret_guard);
  if (error != 0 || before == device_index || cudaSetDevice(before) == cudaSuccess) return error;
  ref_aoti_torch_delete_cuda_stream_guard(*ret_guard);
  *ret_guard = nullptr;
  return 1;
}
