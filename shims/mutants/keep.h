// For mutants of shims that make a tensor: what nobody gives back.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace aoti_mutant {

/// Keeps a further reference on the storage of *ret for ever; gives `error`, to return.
inline AOTITorchError keep_storage(AOTITorchError error, AtenTensorHandle* ret) {
  static std::mutex mutex;
  static std::vector<std::shared_ptr<aoti_reference::Storage>> kept;
  const std::lock_guard lock(mutex);
  if (error == 0) kept.push_back(aoti_reference::tensor_of(*ret, "ret").storage());
  return error;
}

/// Keeps some bytes for ever, as a handle's own; gives `error`, to return.
inline AOTITorchError keep_bytes(AOTITorchError error) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<std::byte[]>> kept;
  const std::lock_guard lock(mutex);
  if (error == 0) kept.push_back(std::make_unique<std::byte[]>(64));
  return error;
}

}  // namespace aoti_mutant
