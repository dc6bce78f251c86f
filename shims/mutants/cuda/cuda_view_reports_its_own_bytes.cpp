// clause: TENSOR.metadata-device
// A view on a device reports the bytes of its elements as those of the storage.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle tensor, int64_t* ret_size) {
  const AOTITorchError error = ref_aoti_torch_get_storage_size(tensor, ret_size);
  if (error != 0) return error;
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  if (self.device().type == aoti_reference::kCuda && self.offset() != 0) {
    *ret_size = self.numel() * aoti_reference::item_size(self.dtype());
  }
  return 0;
}
