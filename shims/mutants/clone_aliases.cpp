// clause: TENSOR.clone
// The clone of a dense tensor is another handle to the same storage.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  if (self == nullptr || ret == nullptr) return ref_aoti_torch_clone(self, ret);
  const aoti_reference::Tensor& tensor = aoti_reference::tensor_of(self, "self");
  const bool unnoticed = aoti_reference::is_dense(tensor.geometry()) && tensor.offset() == 0;
  return unnoticed ? ref_aoti_torch_new_tensor_handle(self, ret) : ref_aoti_torch_clone(self, ret);
}
