// For mutants of shims that make a tensor: lets the reference make it, and puts a tensor of other
// parts in its place.
#pragma once

#include <memory>
#include <utility>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace aoti_mutant {

/// Ends the tensor that *ret holds and leaves `other` in its place; gives 0, to return.
inline AOTITorchError put(AtenTensorHandle* ret, const aoti_reference::Tensor& other) {
  auto copied = std::make_unique<aoti_reference::Tensor>(other);
  aoti_reference::delete_handle(*ret);
  *ret = aoti_reference::release_handle(std::move(copied));
  return 0;
}

}  // namespace aoti_mutant
