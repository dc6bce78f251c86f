// clause: TENSOR.error-leaves-out
// item_bool of several elements gives the first of them, and says then that it is an error.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle self, bool* ret_value) {
  const AOTITorchError error = ref_aoti_torch_item_bool(self, ret_value);
  if (error == 0 || self == nullptr || ret_value == nullptr) return error;
  const aoti_reference::Tensor& tensor = aoti_reference::tensor_of(self, "self");
  if (tensor.numel() > 1) *ret_value = tensor.data()[0] != std::byte{0};
  return error;
}
