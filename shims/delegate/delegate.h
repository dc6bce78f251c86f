// The reference delegate: a compiled model out of a program's payload, run on the tensors of the
// program's mode.
//
// Written once for both modes: what a tensor of a mode is, is said by its Tensors (portable.h, and
// aten/aten.h over libtorch). The model's own tensors are those of a runtime whose shims it was
// compiled against; an argument becomes one by create_tensor_from_blob_v2, over the argument's own
// memory and on the argument's own device, so nothing is copied on the way in. Outputs are the
// model's, and are copied into the arguments that the program planned for them.
#pragma once

#include <aoti_shim/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "delegate/registry.h"
#include "loader/loader.h"

namespace aoti_cts::delegate {

/// What could not be done, with what was had and the limit.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A tensor of either mode in words. Strides are in elements.
struct Seen {
  int32_t scalar_type = 0;
  int32_t device_type = 0;  ///< 0 CPU, 1 CUDA
  int32_t device_index = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  void* data = nullptr;
  uint64_t bytes = 0;  ///< that may be used from `data` on
};

/// The tensors of one mode. Stateless.
class Tensors {
 public:
  virtual ~Tensors() = default;
  virtual Mode mode() const = 0;
  /// A tensor over `seen.data`, which is not touched. Throws Error where the mode has none such.
  virtual void* make(const Seen& seen) const = 0;
  virtual void unmake(void* tensor) const = 0;
  virtual Seen see(const void* tensor) const = 0;
  /// Gives it other sizes, its dimensions in memory in the order that they had. Throws Error, and
  /// then the tensor is as it was, for another rank, for a size that the mode's type does not hold,
  /// and for more bytes than its memory has.
  virtual void resize(void* tensor, std::span<const int64_t> sizes) const = 0;
};

/// The runtime that models are compiled against.
class Runtime;

/// What a delegate is made of.
struct Payload {
  std::span<const uint8_t> blob;  ///< the model's library
  std::string runtime;            ///< the path of a library that is loaded
  std::string prefix;
  std::string device;  ///< as the model takes it
};

/// The steps of a delegate that a mutant does wrong.
struct Steps {
  virtual ~Steps() = default;
  /// The modes in whose registries a build for `own` registers.
  virtual std::vector<Mode> registries(Mode own) { return {own}; }
  /// The model's library: its own, also where another delegate has the same payload.
  virtual std::shared_ptr<loader::TemporaryLibrary> load(std::span<const uint8_t> blob);
  /// What an argument is.
  virtual Seen see(const Tensors& tensors, const void* argument) { return tensors.see(argument); }
  /// What the model gets for an argument; `device` is the model's.
  virtual Seen input(const Runtime& /*runtime*/, Seen seen, const std::string& /*device*/) {
    return seen;
  }
  /// The sizes that an output's argument gets for those of the model's output.
  virtual std::vector<int64_t> output_sizes(std::vector<int64_t> sizes) { return sizes; }
};

/// One payload, loaded. Throws Error or loader::Error where something fails.
class Delegate {
 public:
  Delegate(const Payload& payload, const Tensors& tensors, Steps& steps);
  ~Delegate();
  Delegate(const Delegate&) = delete;
  Delegate& operator=(const Delegate&) = delete;

  /// Runs the model. `arguments` are the mode's tensors, inputs first.
  void execute(std::span<void* const> arguments);

 private:
  std::size_t count(const char* entry_point) const;
  void deliver(AtenTensorHandle output, void* argument, std::size_t number);
  std::string last_error() const;

  const Tensors& tensors_;
  Steps& steps_;
  std::shared_ptr<loader::TemporaryLibrary> library_;
  std::unique_ptr<Runtime> runtime_;
  std::string device_;
  void* container_ = nullptr;
};

}  // namespace aoti_cts::delegate
