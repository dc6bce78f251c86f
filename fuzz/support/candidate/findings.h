// Divergences of a candidate, one of each kind and rule, each with its smallest input as a file and
// as a recipe of the corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/candidate/compare.h"

namespace aoti_cts::fuzz {

class Findings {
 public:
  using Compare = std::function<Divergence(const std::vector<uint8_t>& file)>;

  /// @param folder  where the files go; made if it is not there
  Findings(std::string folder, program::Mode mode, Compare compare);

  /// Minimises and writes a divergence that is new; counts one that is not.
  void add(const std::vector<uint8_t>& file, const Divergence& divergence);

  /// FOLDER/divergences.txt, which is also brought up to date at each new one; and on stdout.
  void print(uint64_t inputs) const;

 private:
  struct Row {
    std::string name;
    Divergence divergence;
    uint64_t seen = 0;
    uint64_t first = 0;  ///< number of the input
    std::string recipe;  ///< how it could be written down
  };
  std::string listing() const;
  std::string folder_;
  program::Mode mode_;
  Compare compare_;
  std::map<std::string, Row> rows_;
};

}  // namespace aoti_cts::fuzz
