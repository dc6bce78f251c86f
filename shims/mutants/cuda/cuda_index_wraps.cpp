// clause: DEV.index-range
// An index beyond the last device counts on from the first.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  int count = 0;
  const bool hit = device_type == 1 && device_index > 0 && device_index < 128 &&
                   cudaGetDeviceCount(&count) == cudaSuccess && device_index >= count;
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                      hit ? device_index % count : device_index, ret_new_tensor);
}
