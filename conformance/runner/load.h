// Loads a candidate into the calling process and undoes what its initialisers did to that process.
// Only fork servers and their children call this: the main process never executes the candidate.
#pragma once

#include <aoti_shim/table.h>

#include <string>
#include <vector>

#include "runner/cuda.h"

namespace aoti_cts::runner {

struct Candidate {
  std::vector<std::string> paths;  ///< absolute; together one runtime
  std::string prefix;              ///< "" for none
  bool has_shims = true;           ///< false for a library that is judged for something else
  CudaOptions cuda;
};

struct Loaded {
  AotiShimTable table{};    ///< null where the candidate lacks the shim
  int shims_found = 0;      ///< of the manifest, our extensions not counted
  int threads_added = 0;    ///< threads that are alive now and were not before
  std::string error;        ///< dlerror, when a library could not be loaded
  std::string found_under;  ///< when no shim was found: prefixes under which some were
};

/// "no shim was found with the prefix ...", and where some were found.
std::string no_shims_text(const std::string& prefix, const std::string& found_under);

/// dlopens every library (RTLD_NOW | RTLD_LOCAL) and fills the table, each shim from the first
/// library that defines it itself, or else from what a library brings along. Then puts all signal
/// handlers, the signal mask and timers back to their defaults, and limits on files to what they
/// were.
Loaded load(const Candidate& candidate);

/// Private memory of a process in bytes (resident minus shared and file pages); 0 where /proc does
/// not tell.
uint64_t private_bytes(int pid);

}  // namespace aoti_cts::runner
