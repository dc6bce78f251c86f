// Delegate plug-ins as the tool holds them: the library, a delegate made by it, its tensors.
// Everything here executes the plug-in, and so belongs into a case's process or another child.
#pragma once

#include <aoti_cts/delegate.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace aoti_cts::delegate_host {

/// Plug-ins under judgement: the builds of one backend. Set by the command line, read by cases.
std::vector<std::string>& subjects();

/// What is wrong with a plug-in, or what it said of a call that failed.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A plug-in's library, loaded for as long as the process lives.
class Plugin {
 public:
  /// Throws Error where it does not load, or its table is not one of this interface.
  explicit Plugin(const std::string& path);
  const AotiCtsDelegate& table() const { return *table_; }
  bool aten() const { return table_->mode == AOTI_CTS_DELEGATE_ATEN; }
  /// Whether its own mode's registry, or the other's, has its backend.
  bool registered(bool own) const;
  /// "portable" or "aten".
  const char* mode() const { return aten() ? "aten" : "portable"; }

 private:
  const AotiCtsDelegate* table_;
};

/// What a tensor is, or is to be.
struct Description {
  int32_t scalar_type = 6;  ///< float32
  int32_t device_type = 0;
  int32_t device_index = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  ///< elements
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// A tensor of a plug-in's mode over memory that outlives it.
class Tensor {
 public:
  /// Throws Error where the plug-in makes none.
  Tensor(const Plugin& plugin, const Description& description);
  ~Tensor();
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&&) = delete;
  Tensor(const Tensor&) = delete;
  void* get() const { return tensor_; }
  Description describe() const;

 private:
  const AotiCtsDelegate* table_;
  void* tensor_ = nullptr;
};

/// The runtime that a model imports its shims from.
struct Runtime {
  std::string path;
  std::string prefix;
};

/// One delegate.
class Delegate {
 public:
  /// Throws Error where init() fails.
  Delegate(const Plugin& plugin, std::span<const uint8_t> payload, const Runtime& runtime,
           const std::string& device = "cpu");
  ~Delegate() { destroy(); }
  Delegate(Delegate&& other) noexcept;
  Delegate& operator=(Delegate&&) = delete;
  Delegate(const Delegate&) = delete;

  /// Returns nothing, or what execute() said as it failed.
  std::string try_execute(const std::vector<const Tensor*>& arguments) const;
  /// Now instead of at the end.
  void destroy();

 private:
  const AotiCtsDelegate* table_;
  void* handle_ = nullptr;
};

}  // namespace aoti_cts::delegate_host
