// For cases that open files or load libraries beside the candidate.
#pragma once

#include "suite/case.h"
#include "symbols/file_limits.h"

namespace aoti_cts::suite {

/// Ends the case with SKIP in a process that may not open files any more: the runner brings back
/// what the candidate lowered as it was loaded, where it may.
inline void need_files(Case& c) {
  if (!symbols::files_allowed()) {
    c.skip("needs files, and the candidate lowered the limits on them for good");
  }
}

}  // namespace aoti_cts::suite
