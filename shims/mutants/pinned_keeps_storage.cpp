// clause: TENSOR.freed
// Pinned memory is never given back.
#include "mutants/keep.h"

AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes_ptr,
                                               const int64_t* strides_ptr, int32_t dtype,
                                               int32_t device_type, int32_t device_index,
                                               AtenTensorHandle* ret_new_tensor) {
  return aoti_mutant::keep_storage(
      ref_aoti_torch_empty_strided_pinned(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                          device_index, ret_new_tensor),
      ret_new_tensor);
}
