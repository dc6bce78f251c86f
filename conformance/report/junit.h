// The report as JUnit XML, for what shows test results in CI.
#pragma once

#include <string>

#include "report/report.h"

namespace aoti_cts {

/// One test suite per clause and one test case per case. A wrong answer is a <failure>; a process
/// that crashed, hung, exited or could not load is an <error>. What the exit code does not count
/// (waived, or SHOULD without strict) is <skipped> with the verdict in its message, so that both
/// always agree. Waiver problems and tool errors are suites of their own.
std::string junit_text(const Report& report);

}  // namespace aoti_cts
