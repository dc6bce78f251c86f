// Runs a method of a .pte program: the reference parser reads it, a delegate plug-in runs what it
// hands to a backend. Everything here executes the plug-in and the payloads: for a child process.
#pragma once

#include <aoti_shim/table.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blobs/arrays.h"
#include "delegate/host.h"

namespace aoti_cts::delegate_host {

struct Request {
  std::span<const uint8_t> file;         ///< at a multiple of program::alignment
  std::string method;                    ///< empty: the first
  std::string plugin;                    ///< path; its mode decides how the program is read
  Runtime runtime;                       ///< loaded, and visible to libraries that are loaded later
  const AotiShimTable* shims = nullptr;  ///< of that runtime
  /// For each input an array, or nothing for random ones by `seed`.
  std::optional<std::vector<blobs::Array>> inputs;
  uint64_t seed = 1;
};

/// One output and where it was.
struct Ran {
  blobs::Array array;
  std::string device;  ///< "cpu", "cuda:0"
};

/// Throws Error where the program is refused, cannot be run, or a delegate fails.
std::vector<Ran> run_program(const Request& request);

}  // namespace aoti_cts::delegate_host
