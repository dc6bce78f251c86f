// A baseline: what a runtime exported once, as JSON, to be held against later builds.
//
//   {"aoti_cts_baseline": 1, "shims": {"aoti_torch_clone": {"type": "FUNC", "binding": "GLOBAL",
//                                                           "version": ""}, ...}}
#pragma once

#include <stdexcept>
#include <string>

#include "symbols/judge.h"

namespace aoti_cts::symbols {

/// A baseline file that cannot be used; what() names file and field.
class BaselineError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The shims that the libraries export now, under whatever prefix.
Baseline baseline_of(const Libraries& libraries);

std::string baseline_text(const Baseline& baseline);

/// Reads a file that baseline_text() wrote. Throws BaselineError.
Baseline read_baseline(const std::string& path);

}  // namespace aoti_cts::symbols
