// clause: TENSOR.copy-converts
// Conversion from float32 to bfloat16 drops bits instead of rounding.
#include <cstring>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  if (to.dtype() != aoti_reference::DType::bfloat16 ||
      from.dtype() != aoti_reference::DType::float32 ||
      to.geometry().sizes != from.geometry().sizes) {
    return 0;
  }
  aoti_reference::for_each_index(to.geometry().sizes, to.geometry().strides,
                                 from.geometry().strides, [&](int64_t into, int64_t out_of) {
                                   // The upper half of a little-endian float.
                                   std::memcpy(to.data() + 2 * into, from.data() + 4 * out_of + 2,
                                               2);
                                 });
  return 0;
}
