// For mutants of shims that copy: spoils the last element of a copy that has many.
#pragma once

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace aoti_mutant {

/// Inverts the last element's first byte where the tensor has more elements than `most`; gives
/// `error`, to return.
inline AOTITorchError spoil_above(int64_t most, AOTITorchError error, AtenTensorHandle made) {
  if (error != 0) return error;
  const aoti_reference::Tensor& tensor = aoti_reference::tensor_of(made, "made");
  if (tensor.numel() <= most) return 0;
  std::byte* const last = tensor.data() + tensor.span_bytes();
  last[-aoti_reference::item_size(tensor.dtype())] ^= std::byte{0xFF};
  return 0;
}

}  // namespace aoti_mutant
