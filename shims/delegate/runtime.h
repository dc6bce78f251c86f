// The shims of a runtime that is loaded already, as a delegate calls them: errors are exceptions.
#pragma once

#include <aoti_shim/table.h>

#include <string>
#include <vector>

#include "delegate/delegate.h"

namespace aoti_cts::delegate {

class Runtime {
 public:
  /// Throws Error where the library is not loaded or lacks a shim that a delegate calls.
  Runtime(const std::string& path, const std::string& prefix);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const AotiShimTable& shims() const { return shims_; }
  /// Throws Error with the shim's name where its code says so.
  static void check(AOTITorchError code, const char* shim);
  /// A tensor of the runtime over an argument's memory.
  AtenTensorHandle borrow(const Seen& seen) const;
  int32_t dtype_of(AtenTensorHandle tensor) const;
  std::vector<int64_t> sizes_of(AtenTensorHandle tensor) const;

 private:
  void* library_ = nullptr;
  AotiShimTable shims_{};
};

/// Owns handles of the runtime's, each once; null slots are nobody's.
class Handles {
 public:
  Handles(const Runtime& runtime, std::size_t count) : runtime_(runtime), slots(count) {}
  ~Handles();
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

 private:
  const Runtime& runtime_;

 public:
  std::vector<AtenTensorHandle> slots;
};

}  // namespace aoti_cts::delegate
