// For mutants of shims that make a tensor: lets the reference make it, and puts another in its
// place.
#pragma once

#include <cstring>
#include <memory>
#include <utility>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace aoti_mutant {

/// Ends the tensor that *ret holds and leaves a new one of the given parts in its place.
inline void replace(AtenTensorHandle* ret, std::shared_ptr<aoti_reference::Storage> storage,
                    aoti_reference::DType dtype) {
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret, "ret");
  auto other = std::make_unique<aoti_reference::Tensor>(std::move(storage), made.geometry(),
                                                        made.offset(), dtype);
  aoti_reference::delete_handle(*ret);
  *ret = aoti_reference::release_handle(std::move(other));
}

/// A storage of its own with the same bytes, said to be on `device`.
inline std::shared_ptr<aoti_reference::Storage> copy_of(const aoti_reference::Storage& storage,
                                                        aoti_reference::Device device) {
  auto copy = aoti_reference::Storage::allocate(device, storage.bytes());
  if (storage.bytes() > 0) {
    std::memcpy(copy->data(), storage.data(), static_cast<std::size_t>(storage.bytes()));
  }
  return copy;
}

}  // namespace aoti_mutant
