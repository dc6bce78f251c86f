// clause: TENSOR.item-bool
// item_bool takes the offset modulo 64.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  const AOTITorchError error = ref_aoti_torch_item_bool(tensor, ret_value);
  if (error != 0) return error;
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  if (self.dtype() == aoti_reference::DType::boolean) {
    *ret_value = self.storage()->data()[self.offset() % 64] != std::byte{0};
  }
  return 0;
}
