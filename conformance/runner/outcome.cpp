// See outcome.h.
#include "runner/outcome.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "report/text.h"
#include "runner/sink.h"

namespace aoti_cts::runner {
namespace {

// A number that the candidate may have overwritten.
int64_t count(uint64_t shared) {
  return static_cast<int64_t>(std::min<uint64_t>(shared, 1'000'000'000'000));
}

// The ring of calls, oldest first, and which of them did not come back.
void read_calls(const SharedCase& shared, CaseResult& result, std::string& inside) {
  const uint64_t total = shared.calls;
  const uint64_t first = total > kept_calls ? total - kept_calls : 0;
  for (uint64_t i = first; i < total; ++i) {
    const uint32_t entry = shared.call[i % kept_calls];
    const std::string name = shim_of_entry(entry);
    result.calls.push_back(name);
    if ((entry & SharedCase::returned_bit) != 0 || entry == 0) continue;
    if (!inside.empty()) inside += ", ";
    inside += name;
  }
}

void read_failures(const SharedCase& shared, CaseResult& result) {
  result.failure_count = count(shared.failures);
  result.assertions = count(shared.assertions);
  const auto kept = std::min<uint64_t>(shared.failures, kept_failures);
  for (uint64_t i = 0; i < kept; ++i) {
    const SharedFailure& row = shared.failure[i];
    result.failures.push_back(
        {printable(row.what.load()), printable(row.have.load()), printable(row.want.load())});
  }
}

void read_findings(const SharedCase& shared, CaseResult& result) {
  const auto kept = std::min<uint32_t>(shared.findings, kept_findings);
  for (uint32_t i = 0; i < kept; ++i) {
    const SharedFinding& row = shared.finding[i];
    const std::string shim = printable(row.shim.load());
    result.findings.push_back(
        {printable(row.clause.load()),
         fmt::format("{}: {}{}{}", printable(row.kind.load()), printable(row.text.load()),
                     shim.empty() ? "" : ", in ", shim)});
  }
  result.kernel = printable(shared.kernel.load());
  result.faults = shared.faults;
  result.struck = printable(shared.struck.load());
  for (int i = 0; i < vcuda::function_count; ++i) {
    const uint32_t calls = shared.cuda_calls[i];
    if (calls > 0) result.cuda_calls.emplace_back(vcuda::function_names[i], calls);
  }
  result.refused = printable(shared.refused.load());
}

std::string whereabouts(const SharedCase& shared, const std::string& inside) {
  if (shared.phase == Phase::Loading) return "while the candidate was loaded";
  if (shared.phase == Phase::None) return "before the case began";
  if (!inside.empty()) return "in " + inside;
  const std::string other = printable(shared.inside.load());
  return other.empty() ? "outside of any shim" : "in " + other;
}

// The child said that it is done: its own word counts.
void judge_finished(const SharedCase& shared, CaseResult& result, std::string& tool_error) {
  result.detail = printable(shared.saw.load());
  if (result.failure_count > 0) {
    result.verdict = Verdict::Fail;
  } else if (shared.skipped != 0) {
    result.verdict = Verdict::Skip;
    result.detail = printable(shared.skip.load());
  } else if (result.assertions == 0) {
    tool_error = "recorded no assertion: it judged nothing";
    result.verdict = Verdict::Skip;
    result.detail = tool_error;
  } else {
    result.verdict = Verdict::Pass;
  }
}

}  // namespace

CaseResult ended_by(int wait_status, const std::optional<Kill>& kill, const std::string& where) {
  CaseResult result;
  const bool signaled = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) <= SIGRTMAX;
  if (kill && signaled && WTERMSIG(wait_status) == SIGKILL) {
    result.verdict = kill->verdict;
    result.detail = fmt::format("{}, {}", kill->reason, where);
  } else if (signaled) {
    result.verdict = Verdict::Crash;
    result.signal = WTERMSIG(wait_status);
    result.detail = fmt::format("{} {}", signal_name(result.signal), where);
  } else {
    result.verdict = Verdict::Exit;
    result.exit_code = WEXITSTATUS(wait_status);
    result.detail = fmt::format("the process ended with code {} {}", result.exit_code, where);
  }
  return result;
}

CaseResult collect(const SharedCase& shared, int wait_status, const std::optional<Kill>& kill,
                   std::string& tool_error) {
  CaseResult result;
  if (shared.seal != SharedCase::sealed || shared.end_seal != SharedCase::sealed) {
    result.verdict = Verdict::Fail;
    result.failure_count = 1;
    result.failures.push_back(
        {"memory that the candidate never got from anybody", "overwritten", "untouched"});
    return result;
  }
  std::string inside;
  const Phase phase = shared.phase;
  const bool clean = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
  if (clean && phase == Phase::NotRun) {
    tool_error = "GoogleTest did not run exactly this one test";
    result.detail = tool_error;
    return result;
  }
  if (clean && phase == Phase::LoadError) {
    result.verdict = Verdict::LoadError;
    result.detail = printable(shared.error.load());
    return result;
  }
  read_calls(shared, result, inside);
  if (!clean || phase != Phase::Done) {
    CaseResult ended = ended_by(wait_status, kill, whereabouts(shared, inside));
    ended.calls = std::move(result.calls);
    result = std::move(ended);
  }
  read_failures(shared, result);
  read_findings(shared, result);
  if (clean && phase == Phase::Done) judge_finished(shared, result, tool_error);
  if (!result.kernel.empty()) {
    // Nothing after the refused launch is the candidate's own doing.
    result.verdict = Verdict::Skip;
    result.detail = fmt::format("needs a kernel: {}", result.kernel);
    tool_error.clear();
  }
  return result;
}

CaseResult merge_retry(const CaseResult& first, const CaseResult& second) {
  if (first.verdict == second.verdict) return first;
  CaseResult result = first;
  result.verdict = Verdict::Flaky;
  result.detail = fmt::format("first {} ({}), then {} in a fresh process", to_string(first.verdict),
                              first.detail, to_string(second.verdict));
  return result;
}

}  // namespace aoti_cts::runner
