// The proof that the suite can fail: each mutant of shims/mutants/, judged by aoti-cts as any
// candidate is, fails the clause that it names (mutation.*, in every run) and no other (the cross,
// mutation_cross.*, labelled full: each mutant against all clauses).
//
//   ctest -R '^mutation[.]'                      one test per mutant, all pass
//   ctest -R '^mutation_cross[.]'                the same against all clauses
//   aoti-cts-mutation-test                       all in one process, and the mutation table
//
// No answer fails a MAY clause. Its mutant makes it report something else than the reference does,
// in that clause alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "suite/clause.h"
#include "tests/support/command.h"

namespace aoti_cts {
namespace {

using nlohmann::json;

struct Mutant {
  std::string name;
  std::string clause;
  std::string what;
  std::string library;
  std::string options;   ///< of `aoti-cts check`, the library after them
  std::string baseline;  ///< library without a fault; empty: the reference for these options
  std::string needs;     ///< the one case that shows it, where a machine may be unable to run that
};

/// For GoogleTest, which prints a parameter's bytes otherwise.
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.clause; }

constexpr const char* as_runtime = "--prefix '' --candidate";

json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return json::parse(file);
}

std::vector<Mutant> read_mutants() {
  std::vector<Mutant> mutants;
  std::istringstream lists(AOTI_CTS_MUTANT_LIST);
  for (std::string path; std::getline(lists, path, ':');) {
    for (const json& row : read_json(path)) {
      mutants.push_back({row.at("name"), row.at("clause"), row.at("what"), row.at("library"),
                         row.value("options", as_runtime), row.value("baseline", ""),
                         row.value("needs", "")});
    }
  }
  return mutants;
}

/// The report of `aoti-cts check` with these options on a library, whatever its verdict. Options
/// are parted by spaces; '' is an empty one.
json judge(const std::string& options, const std::string& library) {
  const tests::Scratch scratch;
  std::vector<std::string> command = {AOTI_CTS_TOOL, "check", "--quiet"};
  std::istringstream words(options);
  for (std::string word; words >> word;) command.push_back(word == "''" ? "" : word);
  command.insert(command.end(), {library, "--json", scratch.path("report.json")});
  const tests::Ran ran = tests::run(command);
  // 0 conformant, 1 not conformant, 5 crashed: all others are troubles of the tool.
  if (ran.code != 0 && ran.code != 1 && ran.code != 5) {
    throw std::runtime_error("exit code " + std::to_string(ran.code) + " on " + library + "\n" +
                             ran.out + ran.err);
  }
  return json::parse(scratch.read("report.json"));
}

bool is_failure(const std::string& verdict) {
  return verdict != "PASS" && verdict != "INFO" && verdict != "SKIP";
}

struct Tally {
  int64_t failed = 0;
  int64_t cases = 0;
};

/// Failed and counted cases of each clause that has any.
std::map<std::string, Tally> tallies(const json& report) {
  std::map<std::string, Tally> found;
  for (const json& result : report.at("results")) {
    for (const json& one : result.at("cases")) {
      Tally& tally = found[result.at("clause")];
      ++tally.cases;
      if (is_failure(one.at("verdict"))) ++tally.failed;
    }
  }
  return found;
}

std::set<std::string> failed_clauses(const json& report) {
  std::set<std::string> failed;
  for (const auto& [clause, tally] : tallies(report)) {
    if (tally.failed > 0) failed.insert(clause);
  }
  return failed;
}

/// What each case of each MAY clause said, as "clause/case: text".
std::set<std::string> seen(const json& report) {
  std::set<std::string> texts;
  for (const json& result : report.at("results")) {
    if (result.at("level") != "MAY") continue;
    for (const json& one : result.at("cases")) {
      texts.insert(result.at("clause").get<std::string>() + "/" +
                   one.at("name").get<std::string>() + ": " + one.at("detail").dump());
    }
  }
  return texts;
}

/// Clauses of which the two sets of texts differ.
std::set<std::string> differing(const std::set<std::string>& one,
                                const std::set<std::string>& other) {
  std::set<std::string> clauses;
  std::vector<std::string> texts;
  std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                std::back_inserter(texts));
  for (const std::string& text : texts) clauses.insert(text.substr(0, text.find('/')));
  return clauses;
}

/// The faultless library that a mutant is compared with.
std::string baseline(const Mutant& mutant) {
  if (!mutant.baseline.empty()) return mutant.baseline;
  return mutant.options == as_runtime ? AOTI_CTS_REFERENCE : AOTI_CTS_REFERENCE_MAP;
}

/// What that gives with these options.
const json& reference_report(const Mutant& mutant, const std::string& options) {
  static std::map<std::string, json> reports;
  const auto found = reports.find(options);
  if (found != reports.end()) return found->second;
  return reports[options] = judge(options, baseline(mutant));
}

/// The mutant's options, with its clause alone instead of all that they choose.
std::string options_for_clause_alone(const Mutant& mutant) {
  std::istringstream words(mutant.options);
  std::string result = "--select " + mutant.clause;
  for (std::string word; words >> word;) {
    if (word == "--select") {
      words >> word;
    } else {
      result += " " + word;
    }
  }
  return result;
}

/// A line for each mutant that was judged, printed when all are through.
class Table : public testing::Environment {
 public:
  static void add(const Mutant& mutant, const Tally& tally, bool exact) {
    lines().push_back((exact ? "killed    " : "SURVIVED  ") + mutant.clause + "  " + mutant.name +
                      "  " + std::to_string(tally.failed) + "/" + std::to_string(tally.cases));
    if (exact) ++killed();
  }
  void TearDown() override {
    for (const std::string& line : lines()) std::cout << line << '\n';
    std::cout << "mutation score: " << killed() << " of " << lines().size() << " mutants\n";
  }

 private:
  static std::vector<std::string>& lines() {
    static std::vector<std::string> kept;
    return kept;
  }
  static int& killed() {
    static int count = 0;
    return count;
  }
};
[[maybe_unused]] const testing::Environment* const table =
    testing::AddGlobalTestEnvironment(new Table);

/// Why the mutant's one case could not run here; empty where it did, or where there are others.
std::string not_run(const Mutant& mutant, const json& report) {
  if (mutant.needs.empty()) return "";
  const json row = tests::case_of(report, mutant.clause + "/" + mutant.needs);
  if (row.is_null()) return "";  // then nothing fails, and the test says so
  return row.at("verdict") == "SKIP" ? row.at("detail").dump() : "";
}

/// Judges a mutant with these options, its own or narrower ones: it fails its clause and no other.
void fails_its_clause(const Mutant& mutant, const std::string& options) {
  const Clause* clause = find_clause(mutant.clause);
  ASSERT_NE(clause, nullptr) << mutant.clause << " is no clause";
  if (clause->judge == Judge::Symbols || clause->judge == Judge::Planned) {
    GTEST_SKIP() << mutant.clause << " is " << to_string(clause->judge) << ": no cases judge it";
  }
  const json report = judge(options, mutant.library);
  const std::string why = not_run(mutant, report);
  if (!why.empty()) GTEST_SKIP() << mutant.clause << "/" << mutant.needs << ": " << why;
  const std::set<std::string> want = {mutant.clause};
  std::set<std::string> have = failed_clauses(report);
  if (clause->level == Level::May) {
    EXPECT_EQ(have, std::set<std::string>()) << "no answer fails a MAY clause: " << mutant.what;
    have = differing(seen(report), seen(reference_report(mutant, options)));
  }
  Table::add(mutant, tallies(report)[mutant.clause], have == want);
  EXPECT_EQ(have, want) << mutant.what;
}

class Mutation : public testing::TestWithParam<Mutant> {};

TEST_P(Mutation, fails_its_clause) {
  fails_its_clause(GetParam(), options_for_clause_alone(GetParam()));
}

class Cross : public testing::TestWithParam<Mutant> {};

TEST_P(Cross, fails_its_clause_alone) { fails_its_clause(GetParam(), GetParam().options); }

std::string name_of(const testing::TestParamInfo<Mutant>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(mutants, Mutation, testing::ValuesIn(read_mutants()), name_of);
INSTANTIATE_TEST_SUITE_P(mutants, Cross, testing::ValuesIn(read_mutants()), name_of);

// Without this, what the mutants fail could be what the reference fails.
TEST(MutationBaseline, the_reference_fails_nothing) {
  std::map<std::string, Mutant> by_options;
  for (const Mutant& mutant : read_mutants()) by_options[mutant.options] = mutant;
  EXPECT_GE(by_options.size(), size_t{2});
  for (const auto& [options, mutant] : by_options) {
    EXPECT_EQ(failed_clauses(reference_report(mutant, options)), std::set<std::string>())
        << options;
    EXPECT_GT(tallies(reference_report(mutant, options)).size(), size_t{0}) << options;
  }
}

}  // namespace
}  // namespace aoti_cts
