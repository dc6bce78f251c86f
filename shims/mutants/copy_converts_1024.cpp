// clause: TENSOR.copy-converts
// A conversion of more than 1,024 elements gets the last of them wrong.
#include "mutants/spoil.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  if (to.dtype() == aoti_reference::tensor_of(src, "src").dtype()) return 0;
  return aoti_mutant::spoil_above(1024, error, self);
}
