// The report as SARIF 2.1.0, for code scanning.
#pragma once

#include <string>

#include "report/report.h"

namespace aoti_cts {

/// A rule per judged clause, a result per failed case: `error` where the exit code counts it,
/// `warning` where it does not, `note` with a suppression where a waiver covers it. The location is
/// the candidate's first file, since a library has no source lines.
std::string sarif_text(const Report& report);

}  // namespace aoti_cts
