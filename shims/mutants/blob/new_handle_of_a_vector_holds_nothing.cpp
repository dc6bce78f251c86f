// clause: BLOB.user-constants
// A new handle on a tensor of one dimension does not keep its storage alive.
#include "mutants/replace.h"

AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle orig_handle,
                                            AtenTensorHandle* new_handle) {
  const AOTITorchError error = ref_aoti_torch_new_tensor_handle(orig_handle, new_handle);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*new_handle, "new_handle");
  if (made.geometry().ndim() != 1) return error;
  const std::shared_ptr<void> nobody;
  aoti_mutant::replace(new_handle, {nobody, made.storage().get()}, made.dtype());
  return error;
}
