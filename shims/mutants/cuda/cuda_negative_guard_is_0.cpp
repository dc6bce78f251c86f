// clause: DEV.negative-index
// A guard on a small negative index is one on device 0.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret_guard) {
  const bool hit = device_index < -1 && device_index >= -128;
  return ref_aoti_torch_create_cuda_guard(hit ? 0 : device_index, ret_guard);
}
