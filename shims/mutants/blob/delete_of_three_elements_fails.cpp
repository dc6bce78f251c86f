// clause: BLOB.aliased-outputs
// Deleting a tensor of three elements reports an error.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  int64_t numel = 0;
  if (tensor != nullptr) ref_aoti_torch_get_numel(tensor, &numel);
  const AOTITorchError error = ref_aoti_torch_delete_tensor_object(tensor);
  return numel == 3 ? 1 : error;
}
