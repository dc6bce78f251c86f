// clause: DEV.item-on-device
// item_bool reads a view's memory on a device as if it were the host's.
#include "mutants/mutant.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  if (tensor == nullptr || ret_value == nullptr) return ref_aoti_torch_item_bool(tensor, ret_value);
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  if (self.numel() != 1 || self.offset() == 0 || self.dtype() != aoti_reference::DType::boolean) {
    return ref_aoti_torch_item_bool(tensor, ret_value);
  }
  *ret_value = *reinterpret_cast<const volatile unsigned char*>(self.data()) != 0;
  return 0;
}
