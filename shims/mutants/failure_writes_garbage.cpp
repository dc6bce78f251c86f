// clause: TENSOR.error-leaves-out
// A refused empty_strided leaves a handle that points nowhere.
#include <cstddef>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error != 0 && ret_new_tensor != nullptr) {
    *ret_new_tensor = reinterpret_cast<AtenTensorHandle>(alignof(std::max_align_t));
  }
  return error;
}
