// From a process that ended to a verdict.
#pragma once

#include <optional>
#include <string>

#include "report/report.h"
#include "runner/shared.h"

namespace aoti_cts::runner {

/// Why the runner itself killed a process: Verdict::Timeout or Verdict::Oom, with the reason in
/// words.
struct Kill {
  Verdict verdict = Verdict::Timeout;
  std::string reason;
};

/// Verdict on a process from its wait status alone: Crash, Exit, or what it was killed for.
CaseResult ended_by(int wait_status, const std::optional<Kill>& kill, const std::string& where);

/// Verdict on a case whose child ended. A fault of ours goes to `tool_error`.
CaseResult collect(const SharedCase& shared, int wait_status, const std::optional<Kill>& kill,
                   std::string& tool_error);

/// Of two runs of one case, the first of which ended its process: the first where they agree, else
/// Flaky.
CaseResult merge_retry(const CaseResult& first, const CaseResult& second);

}  // namespace aoti_cts::runner
