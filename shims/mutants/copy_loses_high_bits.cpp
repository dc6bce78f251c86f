// clause: TENSOR.copy
// copy_ between int64 tensors keeps the lower 32 bits of each element.
#include <cstring>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  if (to.dtype() != aoti_reference::DType::int64 ||
      aoti_reference::tensor_of(src, "src").dtype() != to.dtype()) {
    return 0;
  }
  const aoti_reference::Geometry& geometry = to.geometry();
  aoti_reference::for_each_index(geometry.sizes, geometry.strides, geometry.strides,
                                 [&](int64_t at, int64_t) {
                                   int64_t element = 0;
                                   std::memcpy(&element, to.data() + 8 * at, 8);
                                   element = static_cast<int32_t>(element);
                                   std::memcpy(to.data() + 8 * at, &element, 8);
                                 });
  return 0;
}
