// clause: VIEW.shares
// get_storage_size counts the bytes up to the handle's own last element, not the storage's.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle tensor, int64_t* ret_size) {
  const AOTITorchError error = ref_aoti_torch_get_storage_size(tensor, ret_size);
  if (error != 0) return error;
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  if (self.numel() == 0) return 0;
  *ret_size = (self.offset() + extent(self.geometry())) * aoti_reference::item_size(self.dtype());
  return 0;
}
