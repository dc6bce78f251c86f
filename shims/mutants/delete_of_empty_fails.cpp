// clause: TENSOR.delete-succeeds
// Deleting a handle to a tensor without elements reports an error.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  const bool empty = tensor != nullptr && aoti_reference::tensor_of(tensor, "tensor").numel() == 0;
  ref_aoti_torch_delete_tensor_object(tensor);
  return empty ? 1 : 0;
}
