// clause: TENSOR.copy
// copy_ of more than 4,096 elements of one dtype and shape gets the last of them wrong.
#include "mutants/spoil.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  if (to.dtype() != from.dtype() || to.numel() != from.numel()) return 0;
  return aoti_mutant::spoil_above(4096, error, self);
}
