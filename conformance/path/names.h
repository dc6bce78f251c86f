// Foretelling the names that a loader uses, as somebody who wants to be there first would.
#pragma once

#include <string>
#include <vector>

namespace aoti_cts::path {

/// Names that the loader may use next, after it used these, the last one last: those again, and
/// where the last three differ in one number that grows by the same step, the next eight.
std::vector<std::string> next_names(const std::vector<std::string>& used);

}  // namespace aoti_cts::path
