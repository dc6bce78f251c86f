// What a report means: names of verdicts, worst-of, and the exit code. Kept in one place so that
// the console, JSON and JUnit cannot disagree.
#include <signal.h>
#include <string.h>

#include <algorithm>

#include "report/report.h"

namespace aoti_cts {

const char* to_string(Verdict verdict) {
  static constexpr const char* names[] = {"PASS",       "INFO", "SKIP", "WAIVED",  "FAIL", "FLAKY",
                                          "LOAD_ERROR", "EXIT", "OOM",  "TIMEOUT", "CRASH"};
  static_assert(std::size(names) == verdict_count);
  const auto index = static_cast<std::size_t>(verdict);
  return index < verdict_count ? names[index] : "?";
}

bool is_failure(Verdict verdict) { return verdict >= Verdict::Fail; }

bool is_termination(Verdict verdict) {
  return verdict == Verdict::Flaky || verdict >= Verdict::Exit;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

const char* exit_code_table() {
  return "Exit codes, the first that applies:\n"
         "  2  usage: a bad option, or a file of yours that cannot be read or parsed\n"
         "  3  tool or environment error, or interrupted: not to be trusted, or a report was not "
         "written\n"
         "  4  nothing verified: nothing was selected, every case was skipped, or no shim was "
         "found\n"
         "  5  the candidate crashed, hung, exited or outgrew its process in a case that counts\n"
         "  1  not conformant: a clause that counts failed, or a waiver is stale\n"
         "  0  conformant\n";
}

const char* describe(Exit exit) {
  switch (exit) {
    case Exit::Conformant:
      return "conformant";
    case Exit::NotConformant:
      return "not conformant";
    case Exit::Usage:
      return "usage";
    case Exit::Tool:
      return "tool or environment error: this verdict cannot be trusted";
    case Exit::NothingVerified:
      return "nothing verified";
    case Exit::Terminated:
      return "not conformant: the candidate crashed, hung or ended its process";
  }
  return "?";
}

bool counts(const Report& report, const Clause& clause) {
  return clause.level != Level::Should || report.strict;
}

void settle(Report& report) {
  for (ClauseResult& result : report.results) {
    result.verdict = Verdict::Pass;
    if (result.cases.empty()) result.verdict = Verdict::Skip;
    for (const CaseResult& row : result.cases) {
      result.verdict = std::max(result.verdict, row.verdict);
    }
  }
}

Tally tally_cases(const Report& report) {
  Tally tally{};
  for (const ClauseResult& result : report.results) {
    for (const CaseResult& row : result.cases) ++tally[static_cast<std::size_t>(row.verdict)];
  }
  return tally;
}

Tally tally_clauses(const Report& report) {
  Tally tally{};
  for (const ClauseResult& result : report.results) {
    ++tally[static_cast<std::size_t>(result.verdict)];
  }
  return tally;
}

namespace {

// A load that merely succeeded proves nothing about the clauses that were asked for, and one whose
// failure is waived proves nothing at all. Without shims, cases that pass are about models and
// tools of ours.
bool verified_something(const Report& report) {
  for (const ClauseResult& result : report.results) {
    const bool load = result.clause->judge == Judge::Load;
    for (const CaseResult& row : result.cases) {
      if (row.verdict == Verdict::Skip) continue;
      if (is_failure(row.verdict)) return true;
      if (!load && !report.no_shims) return true;
      if (row.verdict == Verdict::Pass && report.load_selected) return true;
    }
  }
  return false;
}

}  // namespace

Exit outcome(const Report& report) {
  if (!report.tool_errors.empty()) return Exit::Tool;
  if (!verified_something(report)) return Exit::NothingVerified;
  bool failed = !report.waiver_problems.empty();
  for (const ClauseResult& result : report.results) {
    if (!counts(report, *result.clause)) continue;
    for (const CaseResult& row : result.cases) {
      if (is_termination(row.verdict)) return Exit::Terminated;
      failed = failed || is_failure(row.verdict);
    }
  }
  return failed ? Exit::NotConformant : Exit::Conformant;
}

}  // namespace aoti_cts
