// clause: DEV.current-index
// A guard on index -1 is one on the current device, where the reference refuses it.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret_guard) {
  int current = 0;
  if (device_index == -1 && cudaGetDevice(&current) == cudaSuccess) device_index = current;
  return ref_aoti_torch_create_cuda_guard(device_index, ret_guard);
}
