// Models that the command line names, and how one is run: read by the main process, which executes
// nothing of them, and run by cases in processes of their own.
#pragma once

#include <aoti_shim/table.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "blobs/arrays.h"
#include "blobs/host.h"

namespace aoti_cts::blobs {

/// An output slot: an array, or nothing where the model left it null.
using Output = std::optional<Array>;

/// Where a model runs: the string that its container is created with, and the device that it names.
struct Device {
  std::string text = "cpu";
  int32_t type = 0;   ///< 0 CPU, 1 CUDA
  int32_t index = 0;  ///< of the CUDA device
};

/// One model to judge.
struct Given {
  std::string name;                ///< part of case names: [A-Za-z0-9_]+
  std::string path;                ///< as given
  std::string bytes;               ///< the library
  std::set<std::string> prefixes;  ///< what stands before the shims that it imports
  std::set<std::string> shims;     ///< those without which it does not load, as it imports them
  Device device;
  std::vector<Array> inputs;
  std::optional<std::vector<Output>> expect;  ///< nothing where no expectation is known
  std::string expect_from;                    ///< who says so, in words
};

/// Set by the command line before the first process is forked; cases only read it.
std::vector<Given>& given();

/// Input tensors, row-major, for one run of a model: on the CPU over memory of their own, which has
/// to outlive the outputs (they may be views of it); on another device the runtime's, copied there.
class Inputs {
 public:
  /// Throws Error where a tensor cannot be made.
  Inputs(const AotiShimTable& shims, const std::vector<Array>& arrays, const Device& device = {});

  /// What Run takes: handles that were taken are null afterwards, the rest is the caller's.
  std::vector<AtenTensorHandle> handles;

 private:
  std::vector<std::vector<std::max_align_t>> memory_;
};

/// Reads a tensor of any strides that is on the CPU or on a device of the type of `device`, from
/// which it is copied. Throws Error where a shim fails, for a dtype that is not known here, and for
/// any other device.
Array read_tensor(const AotiShimTable& shims, AtenTensorHandle tensor, const Device& device = {});

/// Runs a container of this device once and reads its outputs; every handle is deleted. Throws
/// Error where Run fails, with the text of the blob's last error.
std::vector<Output> run_once(const AotiShimTable& shims, const Container& container,
                             const std::vector<Array>& inputs, const Device& device = {});

/// The first difference of all outputs, in words, or empty.
std::string first_difference(const std::vector<Output>& have, const std::vector<Output>& want);

}  // namespace aoti_cts::blobs
