// clause: VIEW.outlives
// A view of a storage that a view was already made of does not keep it alive.
#include "mutants/replace.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  if (view.storage().use_count() > 2) {
    const std::shared_ptr<void> nobody;
    aoti_mutant::replace(ret_new_tensor, {nobody, view.storage().get()}, view.dtype());
  }
  return error;
}
