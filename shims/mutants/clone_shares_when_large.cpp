// clause: TENSOR.clone
// A clone of more than 8 MiB shares the storage of its source: copied on write, but for the write.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error != 0) return error;
  if (aoti_reference::tensor_of(*ret, "ret").span_bytes() <= 8 << 20) return 0;
  aoti_reference::delete_handle(*ret);
  return ref_aoti_torch_new_tensor_handle(self, ret);
}
