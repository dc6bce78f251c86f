// How a target ends when its oracle is contradicted.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace aoti_cts::fuzz {

/// Prints the rule that was broken and ends the process. The line is what ./dev fuzz looks for, so
/// a rule is a fixed text: what differs from input to input belongs into `what`.
[[noreturn]] inline void finding(const std::string& rule, const std::string& what) {
  std::fprintf(stderr, "finding: %s: %s\n", rule.c_str(), what.c_str());
  std::abort();
}

}  // namespace aoti_cts::fuzz
