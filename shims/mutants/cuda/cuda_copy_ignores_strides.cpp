// clause: DEV.copy-across
// A copy into a permuted device tensor takes its memory for contiguous.
#include "mutants/mutant.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  if (self == nullptr || src == nullptr) return ref_aoti_torch_copy_(self, src, non_blocking);
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const auto& strides = to.geometry().strides;
  const bool hit =
      to.device().type == aoti_reference::kCuda && strides.size() == 2 && strides[0] < strides[1];
  if (!hit) return ref_aoti_torch_copy_(self, src, non_blocking);
  aoti_reference::Geometry flat = to.geometry();
  flat.strides = {flat.sizes[1], 1};
  aoti_reference::Tensor wrong(to.storage(), flat, to.offset(), to.dtype());
  return ref_aoti_torch_copy_(reinterpret_cast<AtenTensorHandle>(&wrong), src, non_blocking);
}
