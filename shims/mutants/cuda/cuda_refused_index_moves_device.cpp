// clause: DEV.index-range
// A refused index of get_current_cuda_stream leaves device 0 current.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device_index, void** ret_stream) {
  const AOTITorchError error = ref_aoti_torch_get_current_cuda_stream(device_index, ret_stream);
  int count = 0;
  const bool hit = error != 0 && device_index > 0 && device_index < 128 &&
                   cudaGetDeviceCount(&count) == cudaSuccess && device_index >= count;
  if (hit) cudaSetDevice(0);
  return error;
}
