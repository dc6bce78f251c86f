// clause: DEV.index-width
// The index of a device tensor goes through a byte, so that 256 is taken for 0.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const bool hit = device_type == 1;
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                      hit ? static_cast<int8_t>(device_index) : device_index,
                                      ret_new_tensor);
}
