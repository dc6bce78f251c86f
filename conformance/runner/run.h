// Runs cases against a candidate, each in a process of its own, and says what became of each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "runner/load.h"
#include "suite/case.h"

namespace aoti_cts::runner {

struct RunOptions {
  Candidate candidate;
  int jobs = 1;                       ///< processes at once, at least 1
  double timeout_s = 10;              ///< for the load, and for each case
  uint64_t memory_bytes = 1U << 30U;  ///< private memory of a case above the loaded candidate
  std::optional<uint64_t> shuffle;    ///< seed of the order; without it the table's order
  /// Cases that may share a process, one after the other and at most `batch` of them: for what is
  /// dear to start, such as a CUDA context. One that fails is run again alone. Null: none may.
  std::function<bool(const suite::CaseRow&)> may_share;
  int batch = 32;
  /// Called after each case, and now and then while one runs: number done, number of all, the name
  /// of the case, and for how many seconds it has been running (0: it is done).
  std::function<void(std::size_t, std::size_t, const std::string&, double)> progress;
};

struct RunResult {
  CaseResult load;                ///< what became of loading the candidate
  std::vector<CaseResult> cases;  ///< one for each case asked for, in the order given
  std::vector<std::string> notes;
  bool no_shims = false;  ///< the candidate has none under the prefix
  std::vector<std::string> tool_errors;
  bool interrupted = false;  ///< by a signal: what was not judged by then is SKIP
};

/// The cases must have been registered with register_cases(). Call from a process with one thread.
/// SIGINT, SIGTERM and SIGHUP end the run early, and what was judged so far is returned; a second
/// one ends the process. Throws std::system_error where the system refuses a process, memory or a
/// descriptor.
RunResult run_cases(const RunOptions& options, const std::vector<const suite::CaseRow*>& cases);

}  // namespace aoti_cts::runner
