// What a run found, before anyone prints it: every reporter (console, JSON, JUnit, SARIF) reads
// this and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/clause.h"

namespace aoti_cts {

/// What became of a case, and of a clause (the worst of its cases). Order is severity, mildest
/// first.
enum class Verdict {
  Pass,
  Info,       ///< a MAY clause: seen and recorded
  Skip,       ///< not judged; the reason is in `detail`
  Waived,     ///< failed, and a waiver covers it
  Fail,       ///< judged and wrong
  Flaky,      ///< crashed or hung once, and did otherwise in a fresh process
  LoadError,  ///< the candidate could not be loaded
  Exit,       ///< the process ended itself
  Oom,        ///< killed above the memory cap
  Timeout,    ///< killed at the time limit
  Crash,      ///< ended by a signal
};

const char* to_string(Verdict verdict);

/// One failed assertion.
struct Failure {
  std::string what;
  std::string have;
  std::string want;
};

struct CaseResult {
  std::string name;
  Verdict verdict = Verdict::Skip;
  std::string detail;  ///< reason of a skip, what a MAY clause saw, which shim a crash was in
  std::vector<Failure> failures;  ///< the first few; `failure_count` has them all
  int64_t failure_count = 0;
  int64_t assertions = 0;
  int signal = 0;                       ///< of a crash
  int exit_code = 0;                    ///< of an Exit
  std::vector<std::string> calls;       ///< the last shims called, oldest first
  std::string stderr_tail;              ///< last lines the case wrote to stderr
  double ms = 0;                        ///< wall time
  std::string waiver;                   ///< reason of the waiver that covers it
  Verdict waived_from = Verdict::Pass;  ///< the verdict that the waiver covers
};

struct ClauseResult {
  const Clause* clause = nullptr;
  Verdict verdict = Verdict::Skip;
  std::vector<CaseResult> cases;
};

/// A candidate library as it was found on disk.
struct CandidateFile {
  std::string path;
  std::string build_id;  ///< hex, or empty where the file has none
};

struct Report {
  std::vector<CandidateFile> candidate;
  std::string prefix;
  std::vector<std::string> profiles;
  bool strict = false;
  std::vector<ClauseResult> results;
  std::vector<std::string>
      waiver_problems;             ///< stale, expired or passing waivers; each fails the run
  std::vector<std::string> notes;  ///< what the reader should know (hints, threads at load, ...)
  std::vector<std::string> tool_errors;  ///< our own faults; exit code 3
  double seconds = 0;
};

}  // namespace aoti_cts
