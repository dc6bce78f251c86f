// clause: DEV.no-leak
// Each device guard makes a stream, which goes with nobody.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret_guard) {
  const AOTITorchError error = ref_aoti_torch_create_cuda_guard(device_index, ret_guard);
  cudaStream_t stream = nullptr;
  if (error != 0 || cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
    return error;
  }
  cudaGetLastError();
  ref_aoti_torch_delete_cuda_guard(*ret_guard);
  *ret_guard = nullptr;
  return 1;
}
