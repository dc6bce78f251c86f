// A finding as a recipe of the corpus: text, which is how programs are kept.
#pragma once

#include <string>
#include <vector>

#include "support/candidate/compare.h"
#include "support/program/reduce.h"

namespace aoti_cts::fuzz {

struct Recipe {
  std::string text;  ///< JSON, ready for corpus/program/cases/; empty where there is none
  std::string how;   ///< "one edit of base planned", "all tables", or why there is none
};

/// Looks for one edit of one base program that shows the same as `file`; where there is none, the
/// file's tables are written out over a base, provided that they can be unpacked and still show it.
/// Needs the corpus folder of this checkout.
Recipe recipe_of(const std::vector<uint8_t>& file, const Divergence& divergence, program::Mode mode,
                 const Shows& shows);

}  // namespace aoti_cts::fuzz
