// clause: TENSOR.copy-overlap
// Allowed, but seen: copy_ between overlapping tensors of one shape succeeds, and does nothing.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error == 0 || self == nullptr || src == nullptr) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  return to.geometry().sizes == from.geometry().sizes && to.dtype() == from.dtype() ? 0 : error;
}
