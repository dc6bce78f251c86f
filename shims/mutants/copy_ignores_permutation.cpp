// clause: TENSOR.copy
// copy_ between two dense tensors moves the block, whatever the order of their dimensions.
#include <cstring>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  const bool blocks = to.dtype() == from.dtype() && to.geometry().sizes == from.geometry().sizes &&
                      is_dense(to.geometry()) && is_dense(from.geometry()) && to.numel() > 0;
  if (blocks) std::memmove(to.data(), from.data(), static_cast<std::size_t>(to.span_bytes()));
  return 0;
}
