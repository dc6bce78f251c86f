// The whole of `aoti-cts check` but its command line: selects cases, runs them, applies waivers.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "report/waivers.h"
#include "runner/run.h"

namespace aoti_cts::runner {

struct Selection {
  std::vector<std::string> profiles;  ///< clauses of these are judged
  std::vector<std::string> select;    ///< globs of a clause id or clause/case; empty: everything
  std::vector<std::string> exclude;   ///< the same; wins over `select`
};

struct Selected {
  std::vector<const suite::CaseRow*> cases;  ///< in the table's order
  bool load = false;                         ///< the load's own case too
  std::vector<std::string> unmatched;        ///< globs that match nothing there is
  std::vector<std::string> elsewhere;  ///< what is selected and not judged here, and where it is
};

/// The name of the load's one case.
inline constexpr const char* load_case = "load";

/// Whether the selection has this case of this clause.
bool is_selected(const Selection& selection, const Clause& clause, const std::string& name);

Selected select_cases(const Selection& selection);

/// Every case there is, the load's included.
std::vector<KnownCase> known_cases();

/// Profiles that the clause table knows, in its order.
std::vector<std::string> known_profiles();

/// Registers, runs and judges the selected cases. Candidate, prefix, profiles and `strict` of the
/// report are the caller's to set; everything else is filled in here.
void check(Report& report, const RunOptions& options, const Selected& selected,
           const std::vector<Waiver>& waivers);

}  // namespace aoti_cts::runner
