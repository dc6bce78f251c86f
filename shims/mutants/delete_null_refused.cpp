// clause: TENSOR.delete-null
// Allowed, but seen: deleting null is an error.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  return tensor == nullptr ? 1 : ref_aoti_torch_delete_tensor_object(tensor);
}
