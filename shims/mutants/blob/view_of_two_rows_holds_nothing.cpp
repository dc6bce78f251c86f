// clause: BLOB.view-output
// A transposed view of two rows does not keep its storage alive.
#include "mutants/replace.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0 || ndim != 2 || sizes_ptr[0] != 2 || strides_ptr[0] >= strides_ptr[1])
    return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  const std::shared_ptr<void> nobody;
  aoti_mutant::replace(ret_new_tensor, {nobody, view.storage().get()}, view.dtype());
  return error;
}
