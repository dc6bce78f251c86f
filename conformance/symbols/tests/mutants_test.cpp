// Each clause of the static half has a mutant: a library, or a set of options beside one, with one
// fault, which fails exactly that clause.
//
//   build/dev/conformance/symbols/aoti_cts_symbols_mutants_test
//
// Success: every mutant PASSED. A mutant is a file of conformance/symbols/mutants/: the first
// comment names its clause, how it is built and with which arguments `aoti-cts symbols` is to judge
// it. `none` is the control: with every option given, nothing fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "suite/clause.h"
#include "symbols/command.h"

namespace aoti_cts::symbols {
namespace {

namespace fs = std::filesystem;

struct Mutant {
  std::string name, clause, arguments;
};

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  for (const auto& entry : fs::directory_iterator(AOTI_CTS_MUTANT_SOURCES)) {
    if (entry.path().extension() != ".cpp") continue;
    Mutant mutant{entry.path().stem().string(), "", ""};
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line) && line.starts_with("//");) {
      if (line.starts_with("// clause: ")) mutant.clause = line.substr(11);
      if (line.starts_with("// args: ")) mutant.arguments = line.substr(9);
    }
    all.push_back(mutant);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

class Mutants : public testing::TestWithParam<Mutant> {};

TEST_P(Mutants, FailsItsClauseAlone) {
  const Mutant& mutant = GetParam();
  ASSERT_NE(mutant.clause, "") << "no `// clause:` line";
  const ScratchFolder scratch;
  const std::string report = scratch.file("report.json");
  const Ran ran = run_shell(
      fmt::format("folder={} here={}; {} symbols --strict --json {} {}",
                  shell_word(AOTI_CTS_MUTANT_LIBRARIES), shell_word(AOTI_CTS_MUTANT_SOURCES),
                  shell_word(AOTI_CTS_TOOL), shell_word(report), mutant.arguments));
  std::ifstream file(report);
  ASSERT_TRUE(file) << ran.output;
  const auto json = nlohmann::json::parse(file);
  std::set<std::string> have, passed;
  for (const auto& result : json["results"]) {
    if (result["verdict"] == "FAIL") have.insert(result["clause"]);
    if (result["verdict"] == "PASS") passed.insert(result["clause"]);
  }
  std::set<std::string> want;
  if (mutant.clause != "none") want.insert(mutant.clause);
  EXPECT_EQ(have, want) << ran.output;
  EXPECT_EQ(json["exit_code"], want.empty() ? 0 : 1) << ran.output;
  if (!want.empty()) return;
  // The control leaves nothing unjudged but what is about archives.
  for (const auto& result : json["results"]) {
    if (result["clause"] == "SYM.survives-gc") continue;
    EXPECT_EQ(result["verdict"], "PASS") << result["clause"];
  }
}

INSTANTIATE_TEST_SUITE_P(Symbols, Mutants, testing::ValuesIn(mutants()),
                         [](const auto& info) { return info.param.name; });

TEST(MutantSet, EveryStaticClauseHasOne) {
  std::set<std::string> have;
  for (const Mutant& mutant : mutants()) have.insert(mutant.clause);
  for (const Clause& clause : clauses()) {
    if (clause.judge != Judge::Symbols && clause.judge != Judge::Both) continue;
    EXPECT_EQ(have.count(clause.id), 1u) << clause.id << " has no mutant";
  }
}

}  // namespace
}  // namespace aoti_cts::symbols
