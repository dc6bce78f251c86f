// clause: TENSOR.copy-converts
// A copy between dtypes walks both sides as if they were contiguous.
#include "mutants/put.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  if (self == nullptr || src == nullptr) return ref_aoti_torch_copy_(self, src, non_blocking);
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  const auto spans = [](const aoti_reference::Tensor& t) {
    return extent(t.geometry()) >= t.numel();  // a line of as many elements stays inside
  };
  if (to.dtype() == from.dtype() || to.geometry().sizes != from.geometry().sizes ||
      to.numel() == 0 || !spans(to) || !spans(from)) {
    return ref_aoti_torch_copy_(self, src, non_blocking);
  }
  aoti_reference::Geometry line;
  line.sizes = {to.numel()};
  line.strides = {1};
  line.numel = to.numel();
  try {
    aoti_reference::copy({to.storage(), line, to.offset(), to.dtype()},
                         {from.storage(), line, from.offset(), from.dtype()});
  } catch (...) {
    return 1;
  }
  return 0;
}
