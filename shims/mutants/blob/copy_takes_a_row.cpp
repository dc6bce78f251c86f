// clause: VIEW.callee-borrows
// What copy_ copies out of a vector of four elements is taken from it: zeros stay behind.
#include <cstring>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) return error;
  const aoti_reference::Tensor& source = aoti_reference::tensor_of(src, "src");
  if (source.geometry().sizes == std::vector<int64_t>{4}) {
    std::memset(source.data(), 0, static_cast<std::size_t>(source.span_bytes()));
  }
  return error;
}
