// clause: TENSOR.empty
// get_strides has room for 8 dimensions: of a tensor of more, all strides are 0.
#include <array>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_get_strides(AtenTensorHandle tensor, int64_t** ret_strides) {
  static std::array<int64_t, 64> none{};
  const AOTITorchError error = ref_aoti_torch_get_strides(tensor, ret_strides);
  if (error != 0) return error;
  if (aoti_reference::tensor_of(tensor, "tensor").geometry().ndim() > 8) *ret_strides = none.data();
  return 0;
}
