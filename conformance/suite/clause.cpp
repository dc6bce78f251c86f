// Turns clauses.def into the table that everything else reads.
#include "suite/clause.h"

#include <algorithm>

namespace aoti_cts {
namespace {

constexpr Level MUST = Level::Must;
constexpr Level SHOULD = Level::Should;
constexpr Level MAY = Level::May;
constexpr Judge load = Judge::Load;
constexpr Judge run = Judge::Run;
constexpr Judge symbols = Judge::Symbols;
constexpr Judge both = Judge::Both;
constexpr Judge planned = Judge::Planned;

std::string clause_id(const std::string& section, std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return section + "." + name;
}

std::vector<Clause> read_table() {
  [[maybe_unused]] constexpr Judge used[] = {load, run, symbols, both, planned};
  [[maybe_unused]] constexpr Level levels[] = {MUST, SHOULD, MAY};
  return {
#define AOTI_CLAUSE(judge, section, name, level, profile, since, source, sentence) \
  {clause_id(#section, #name), #section, level, judge, #profile, since, source, sentence},
#include "clauses.def"
#undef AOTI_CLAUSE
  };
}

}  // namespace

const std::vector<Clause>& clauses() {
  static const std::vector<Clause> table = read_table();
  return table;
}

const Clause* find_clause(std::string_view id) {
  for (const Clause& clause : clauses()) {
    if (clause.id == id) return &clause;
  }
  return nullptr;
}

bool is_cuda_profile(std::string_view profile) {
  return profile == "cuda" || profile == "cuda_ops";
}

const char* to_string(Level level) {
  switch (level) {
    case Level::Must:
      return "MUST";
    case Level::Should:
      return "SHOULD";
    case Level::May:
      return "MAY";
  }
  return "?";
}

const char* to_string(Judge judge) {
  switch (judge) {
    case Judge::Load:
      return "load";
    case Judge::Run:
      return "run";
    case Judge::Symbols:
      return "symbols";
    case Judge::Both:
      return "both";
    case Judge::Planned:
      return "planned";
  }
  return "?";
}

}  // namespace aoti_cts
