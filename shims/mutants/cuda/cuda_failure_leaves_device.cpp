// clause: DEV.call-failure
// A device tensor that cannot be made leaves its device current.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error != 0 && device_type == 1 && device_index == 1 && ndim == 0) cudaSetDevice(1);
  return error;
}
