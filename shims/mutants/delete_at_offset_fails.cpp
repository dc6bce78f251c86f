// clause: TENSOR.delete-succeeds
// Deleting a handle at an offset reports an error.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  const bool at_offset =
      tensor != nullptr && aoti_reference::tensor_of(tensor, "tensor").offset() > 0;
  ref_aoti_torch_delete_tensor_object(tensor);
  return at_offset ? 1 : 0;
}
