// clause: TENSOR.clone
// A clone of float32 is made by adding 0 to each element: -0.0 becomes 0.
#include <cstring>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret, "ret");
  if (made.dtype() != aoti_reference::DType::float32) return 0;
  const aoti_reference::Geometry& geometry = made.geometry();
  aoti_reference::for_each_index(geometry.sizes, geometry.strides, geometry.strides,
                                 [&](int64_t at, int64_t) {
                                   float element = 0;
                                   std::memcpy(&element, made.data() + 4 * at, 4);
                                   element += 0.0F;
                                   std::memcpy(made.data() + 4 * at, &element, 4);
                                 });
  return 0;
}
