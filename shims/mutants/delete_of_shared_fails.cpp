// clause: TENSOR.delete-succeeds
// Deleting a handle whose storage has other handles reports an error.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  const bool shared =
      tensor != nullptr && aoti_reference::tensor_of(tensor, "tensor").storage().use_count() > 1;
  ref_aoti_torch_delete_tensor_object(tensor);
  return shared ? 1 : 0;
}
