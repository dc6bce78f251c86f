// clause: DEV.no-device-guard
// Without a device a guard is made all the same.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret_guard) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaErrorNoDevice) {
    return ref_aoti_torch_create_cuda_guard(device_index, ret_guard);
  }
  static int nothing = 0;
  *ret_guard = reinterpret_cast<CUDAGuardHandle>(&nothing);
  return 0;
}
