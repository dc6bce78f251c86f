// clause: DEV.item-on-device
// item_bool of a device tensor reads the first byte of its storage.
#include "mutants/mutant.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  if (tensor == nullptr || ret_value == nullptr) return ref_aoti_torch_item_bool(tensor, ret_value);
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  if (self.device().type != aoti_reference::kCuda)
    return ref_aoti_torch_item_bool(tensor, ret_value);
  aoti_reference::Tensor base(self.storage(), self.geometry(), 0, self.dtype());
  return ref_aoti_torch_item_bool(reinterpret_cast<AtenTensorHandle>(&base), ret_value);
}
