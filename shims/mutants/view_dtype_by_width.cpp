// clause: VIEW.shares
// The view of a bfloat16 tensor is float16, of the same width.
#include "mutants/replace.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  if (view.dtype() == aoti_reference::DType::bfloat16) {
    aoti_mutant::replace(ret_new_tensor, view.storage(), aoti_reference::DType::float16);
  }
  return error;
}
