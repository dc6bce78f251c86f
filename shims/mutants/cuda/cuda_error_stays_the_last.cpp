// clause: DEV.last-error
// A device guard lets cudaSetDevice refuse a large index, and leaves its error to the next who
// asks.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret_guard) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  if (device_index >= count && cudaSetDevice(device_index) != cudaSuccess) return 1;
  return ref_aoti_torch_create_cuda_guard(device_index, ret_guard);
}
