// clause: TENSOR.pinned
// empty_strided_pinned packs what it makes.
#include "mutants/put.h"

AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes_ptr,
                                               const int64_t* strides_ptr, int32_t dtype,
                                               int32_t device_type, int32_t device_index,
                                               AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch_empty_strided_pinned(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_new_tensor, "made");
  aoti_reference::Geometry geometry = made.geometry();
  geometry.strides = aoti_reference::packed_strides(geometry);
  return aoti_mutant::put(ret_new_tensor,
                          *aoti_reference::make_empty_pinned(geometry, made.dtype()));
}
