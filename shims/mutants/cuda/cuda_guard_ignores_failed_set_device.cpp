// clause: DEV.call-failure
// A guard does not look at what cudaSetDevice says.
#include <cuda_runtime_api.h>

#include "device/cuda/runtime.h"
#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret_guard) {
  int before = 0;
  int count = 0;
  const bool fine = cudaGetDeviceCount(&count) == cudaSuccess && device_index >= 0 &&
                    device_index < count && cudaGetDevice(&before) == cudaSuccess;
  if (!fine) return ref_aoti_torch_create_cuda_guard(device_index, ret_guard);
  const AOTITorchError error = ref_aoti_torch_create_cuda_guard(before, ret_guard);
  if (error == 0) (void)cudaSetDevice(device_index);
  return error;
}
