// What a run found, before anyone prints it: every reporter (console, JSON, JUnit, SARIF) reads
// this and nothing else, and what it means is decided in verdict.cpp for all of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suite/clause.h"

namespace aoti_cts {

/// What became of a case, and of a clause (the worst of its cases). Order is severity, mildest
/// first.
enum class Verdict {
  Pass,
  Info,       ///< a MAY clause: an answer, seen and recorded
  Skip,       ///< not judged; the reason is in `detail`
  Waived,     ///< failed, and a waiver covers it
  Fail,       ///< judged and wrong
  Flaky,      ///< crashed or hung once, and did otherwise in a fresh process
  LoadError,  ///< the candidate could not be loaded
  Exit,       ///< the process ended itself
  Oom,        ///< killed above the cap on memory or on processes
  Timeout,    ///< killed at the time limit
  Crash,      ///< ended by a signal
};

inline constexpr std::size_t verdict_count = static_cast<std::size_t>(Verdict::Crash) + 1;

const char* to_string(Verdict verdict);

/// True for what is neither a pass nor left unjudged: Fail and everything worse.
bool is_failure(Verdict verdict);

/// True where the candidate ended, hung or outgrew its process.
bool is_termination(Verdict verdict);

/// "SIGSEGV" for 11; "signal N" where the system has no name for it.
std::string signal_name(int signal);

/// One failed assertion.
struct Failure {
  std::string what;
  std::string have;
  std::string want;
};

/// What the virtual CUDA device found in a case, and which clause that speaks against.
struct DeviceFinding {
  std::string clause;
  std::string text;
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
  std::vector<DeviceFinding> findings;  ///< of the virtual CUDA device; the first few
  std::string kernel;                   ///< a kernel that the case needs and no device ran
  std::string refused;                  ///< a CUDA function that the virtual device lacks
  int64_t faults = 0;                   ///< injected CUDA failures that struck
  std::string struck;                   ///< which: "FUNCTION call N with code C (NAME)"; ...
  std::vector<std::pair<std::string, int64_t>>
      cuda_calls;                       ///< how often each function was called, where faults are
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

/// A symbol that a clause of the static half has something to say about.
struct SymbolFinding {
  std::string clause;         ///< id
  std::string symbol;         ///< as it stands in the symbol table
  std::string demangled;      ///< the same where it is no C++ name
  std::string group;          ///< project it comes from: "shims", "libstdc++", "protobuf", ...
  std::string library;        ///< of the candidate
  std::string type;           ///< FUNC, OBJECT, ...
  std::string binding;        ///< GLOBAL, WEAK or UNIQUE
  std::string version;        ///< version node, or empty
  std::string other_library;  ///< that has it too; empty where the finding is not a pair
  std::string other_type;
  std::string other_binding;
  std::string other_version;
  bool counts = true;  ///< false: listed for information
};

/// What `aoti-cts symbols` adds to a report.
struct SymbolReport {
  std::vector<std::string> against;  ///< files that the candidate was held against
  std::vector<std::string> blobs;
  std::vector<SymbolFinding> findings;
  std::vector<std::string> suggestions;  ///< build settings that would repair what was found
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
  int64_t clauses_not_judged = 0;        ///< planned, or judged by another command
  bool no_shims = false;       ///< the candidate is a runtime, and has none under the prefix
  bool load_selected = false;  ///< the load's own case was asked for, not only a precondition
  std::optional<SymbolReport> symbols;  ///< of `aoti-cts symbols` alone
  double seconds = 0;
};

/// Exit codes of `aoti-cts check`; where several apply, the first in the order 2, 3, 4, 5, 1, 0.
enum class Exit {
  Conformant = 0,
  NotConformant = 1,
  Usage = 2,
  Tool = 3,
  NothingVerified = 4,
  Terminated = 5,
};

/// What the exit codes mean, as `--help` prints it.
const char* exit_code_table();

/// The verdict on the whole run.
Exit outcome(const Report& report);

/// One sentence for an outcome.
const char* describe(Exit exit);

/// True where a failure of this clause makes the candidate not conformant: MUST always, SHOULD
/// under strict, and MAY too, whose answers are Info: what is worse there is a process that ended.
bool counts(const Report& report, const Clause& clause);

/// Sets each clause's verdict to the worst of its cases'.
void settle(Report& report);

/// Number of cases by verdict, indexed by the verdict's value.
using Tally = std::array<int64_t, verdict_count>;
Tally tally_cases(const Report& report);
Tally tally_clauses(const Report& report);

}  // namespace aoti_cts
