// The waiver file: what is refused, and each rule of how entries apply, from both sides.
//
//   build/dev/conformance/tests/aoti-cts-tests --gtest_filter='Waiver*'    [  PASSED  ]
#include "report/waivers.h"

#include <gtest/gtest.h>

namespace aoti_cts::tests {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_waivers(text, "known.toml");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WaiverFile, EveryFieldIsRead) {
  const auto waivers = parse_waivers(
      "[[waiver]]\nclause = 'FIX.*'\ncases = ['a*', 'b']\ncandidate = 'lib*.so'\n"
      "reason = 'why'\nlink = 'https://example.org/1'\nexpiry = 2030-01-31\n"
      "[[waiver]]\nclause = 'FIX.broken'\nreason = 'x'\n",
      "known.toml");
  ASSERT_EQ(waivers.size(), 2U);
  EXPECT_EQ(waivers[0].clause, "FIX.*");
  EXPECT_EQ(waivers[0].cases, (std::vector<std::string>{"a*", "b"}));
  EXPECT_EQ(waivers[0].candidate, "lib*.so");
  EXPECT_EQ(waivers[0].reason, "why");
  EXPECT_EQ(waivers[0].link, "https://example.org/1");
  EXPECT_EQ(waivers[0].expiry, "2030-01-31");
  EXPECT_EQ(waivers[0].line, 1);
  EXPECT_EQ(waivers[1].candidate, "*");
  EXPECT_EQ(waivers[1].line, 8);
  EXPECT_TRUE(parse_waivers("", "known.toml").empty());
}

struct Refused {
  const char* name;
  const char* text;
  const char* says;
};

constexpr Refused refused[] = {
    {"no_toml", "[[waiver\n", "known.toml:1: "},
    {"unknown_top", "waivers = 1\n", "known.toml:1: unknown field `waivers`"},
    {"single_table", "[waiver]\nclause='a'\nreason='b'\n",
     "`waiver` has to be written as [[waiver]]"},
    {"unknown_field", "[[waiver]]\nclause='a'\nreason='b'\nexpires=2030-01-01\n",
     "known.toml:4: unknown field `expires`"},
    {"no_reason", "\n[[waiver]]\nclause='a'\n", "known.toml:2: field `reason` is missing"},
    {"empty_reason", "[[waiver]]\nclause='a'\nreason=''\n",
     "known.toml:3: field `reason` is empty"},
    {"no_clause", "[[waiver]]\nreason='a'\n", "known.toml:1: field `clause` is missing"},
    {"clause_type", "[[waiver]]\nclause=1\nreason='a'\n",
     "known.toml:2: field `clause` has to be a string"},
    {"cases_type", "[[waiver]]\nclause='a'\ncases='b'\nreason='c'\n",
     "known.toml:3: field `cases`"},
    {"cases_empty", "[[waiver]]\nclause='a'\ncases=[]\nreason='c'\n",
     "known.toml:3: field `cases`"},
    {"case_type", "[[waiver]]\nclause='a'\ncases=['x', 2]\nreason='c'\n",
     "field `cases` has to be a string"},
    {"expiry_text", "[[waiver]]\nclause='a'\nreason='c'\nexpiry='2030-01-01'\n",
     "known.toml:4: field `expiry` has to be a date"},
    {"expiry_time", "[[waiver]]\nclause='a'\nreason='c'\nexpiry=2030-01-01T00:00:00Z\n",
     "known.toml:4: field `expiry` has to be a date"},
    {"expiry_impossible", "[[waiver]]\nclause='a'\nreason='c'\nexpiry=2030-02-30\n",
     "known.toml:4: "},
    {"varies_type", "[[waiver]]\nclause='a'\ncases=['x']\nreason='c'\nvaries='yes'\n",
     "known.toml:5: field `varies` has to be true or false"},
    {"varies_alone", "[[waiver]]\nclause='a'\nreason='c'\nvaries=true\n",
     "field `varies` needs `cases`"},
    {"twice", "[[waiver]]\nclause='a'\nclause='b'\nreason='c'\n", "known.toml:3: "},
};

class WaiverFileRefuses : public testing::TestWithParam<Refused> {};

TEST_P(WaiverFileRefuses, AndSaysWhere) {
  const std::string text = refusal(GetParam().text);
  EXPECT_NE(text.find(GetParam().says), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(All, WaiverFileRefuses, testing::ValuesIn(refused),
                         [](const auto& info) { return std::string(info.param.name); });

CaseResult row(const char* name, Verdict verdict) {
  CaseResult result;
  result.name = name;
  result.verdict = verdict;
  return result;
}

// FIX.broken: a and b fail, c passes, s is skipped. FIX.after: x passes. FIX.may: seen.
class Waivers : public testing::Test {
 protected:
  Waivers() {
    report_.candidate = {{"/lib/librt.so.1", ""}};
    report_.results.resize(3);
    report_.results[0].clause = find_clause("FIX.broken");
    report_.results[0].cases = {row("a", Verdict::Fail), row("b", Verdict::Crash),
                                row("c", Verdict::Pass), row("s", Verdict::Skip)};
    report_.results[1].clause = find_clause("FIX.after");
    report_.results[1].cases = {row("x", Verdict::Pass)};
    report_.results[2].clause = find_clause("FIX.may");
    report_.results[2].cases = {row("m", Verdict::Info)};
    for (const ClauseResult& result : report_.results) {
      for (const CaseResult& one : result.cases) known_.push_back({result.clause->id, one.name});
    }
    known_.push_back({"FIX.broken", "deselected"});
    known_.push_back({"FIX.gtest", "deselected"});
  }

  std::string apply(const std::string& entry, const std::string& more = "") {
    const auto waivers =
        parse_waivers("[[waiver]]\nreason = 'known'\n" + entry + "\n" + more, "known.toml");
    apply_waivers(report_, waivers, known_, "2030-06-15");
    settle(report_);
    std::string all;
    for (const std::string& problem : report_.waiver_problems) all += problem + "\n";
    return all;
  }

  Verdict verdict(const char* name) const {
    for (const CaseResult& one : report_.results[0].cases) {
      if (one.name == name) return one.verdict;
    }
    return Verdict::Pass;
  }

  Report report_;
  std::vector<KnownCase> known_;
};

TEST_F(Waivers, WholeClauseCoversAllThatFails) {
  EXPECT_EQ(apply("clause = 'FIX.broken'"), "");
  EXPECT_EQ(verdict("a"), Verdict::Waived);
  EXPECT_EQ(verdict("b"), Verdict::Waived);
  EXPECT_EQ(verdict("c"), Verdict::Pass);
  EXPECT_EQ(verdict("s"), Verdict::Skip);
  EXPECT_EQ(report_.results[0].cases[1].waived_from, Verdict::Crash);
  EXPECT_EQ(report_.results[0].cases[1].waiver, "known");
  EXPECT_EQ(report_.results[0].verdict, Verdict::Waived);
  EXPECT_EQ(outcome(report_), Exit::Conformant);
}

TEST_F(Waivers, CasesThatVaryMayPassAsWell) {
  EXPECT_EQ(apply("clause = 'FIX.broken'\ncases = ['a', 'c']\nvaries = true"), "");
  EXPECT_EQ(verdict("a"), Verdict::Waived);
  EXPECT_EQ(verdict("c"), Verdict::Pass);
  EXPECT_TRUE(report_.notes.empty());
}

TEST_F(Waivers, CasesThatVaryAndAllPassAreNoted) {
  EXPECT_EQ(apply("clause = 'FIX.broken'\ncases = ['c']\nvaries = true"), "");
  ASSERT_EQ(report_.notes.size(), 1U);
  EXPECT_NE(report_.notes[0].find("covered nothing in this run"), std::string::npos);
  EXPECT_EQ(outcome(report_), Exit::Terminated);  // of `b`, which nothing covers
}

TEST_F(Waivers, CasesThatVaryHaveToExist) {
  EXPECT_NE(apply("clause = 'FIX.broken'\ncases = ['nothing']\nvaries = true"), "");
}

TEST_F(Waivers, WaivedLoadOfAnUnjudgedRuntimeVerifiesNothing) {
  report_.results.resize(2);
  report_.results[0].clause = find_clause("SYM.loads");
  report_.results[0].cases = {row("load", Verdict::Waived)};
  report_.results[1].cases = {row("x", Verdict::Skip)};
  EXPECT_EQ(outcome(report_), Exit::NothingVerified);
}

TEST_F(Waivers, NamedCasesCoverThoseAlone) {
  EXPECT_EQ(apply("clause = 'FIX.broken'\ncases = ['a']"), "");
  EXPECT_EQ(verdict("a"), Verdict::Waived);
  EXPECT_EQ(verdict("b"), Verdict::Crash);
  EXPECT_EQ(outcome(report_), Exit::Terminated);
}

TEST_F(Waivers, UnexpectedPassOfANamedCase) {
  EXPECT_NE(
      apply("clause = 'FIX.broken'\ncases = ['[abc]']").find("FIX.broken/c, which did not fail"),
      std::string::npos);
  EXPECT_EQ(verdict("a"), Verdict::Waived);
}

TEST_F(Waivers, UnexpectedPassOfAClause) {
  EXPECT_NE(apply("clause = 'FIX.after'").find("FIX.after has no failing case"), std::string::npos);
  EXPECT_EQ(outcome(report_), Exit::Terminated);  // FIX.broken still crashes
}

TEST_F(Waivers, UnexpectedPassFailsAnOtherwiseConformantRun) {
  report_.results.erase(report_.results.begin());
  EXPECT_NE(apply("clause = 'FIX.after'"), "");
  EXPECT_EQ(outcome(report_), Exit::NotConformant);
}

TEST_F(Waivers, InfoNeverFailsSoItsEntryIsNotNeeded) {
  EXPECT_NE(apply("clause = 'FIX.may'").find("not needed"), std::string::npos);
}

TEST_F(Waivers, GlobOverClausesNeedsAFailureInEach) {
  EXPECT_NE(apply("clause = 'FIX.[ab]*'").find("FIX.after has no failing case"), std::string::npos);
  EXPECT_EQ(verdict("a"), Verdict::Waived);
}

TEST_F(Waivers, UnusedWhereNothingOfThatNameExists) {
  EXPECT_NE(apply("clause = 'FIX.nothing'").find("unused"), std::string::npos);
  EXPECT_NE(apply("clause = 'FIX.broken'\ncases = ['zzz']").find("no failing case matches `zzz`"),
            std::string::npos);
}

TEST_F(Waivers, UnusedWhereOnlySkippedCasesMatch) {
  EXPECT_NE(apply("clause = 'FIX.broken'\ncases = ['s']").find("unused"), std::string::npos);
}

TEST_F(Waivers, EachCaseGlobHasToEarnItsPlace) {
  const std::string problems = apply("clause = 'FIX.broken'\ncases = ['a', 'zzz']");
  EXPECT_NE(problems.find("`zzz`"), std::string::npos) << problems;
  EXPECT_EQ(problems.find("`a`"), std::string::npos) << problems;
}

TEST_F(Waivers, DeselectedCasesMakeNoEntryStale) {
  EXPECT_EQ(apply("clause = 'FIX.gtest'"), "");
  EXPECT_EQ(apply("clause = 'FIX.broken'\ncases = ['deselected']"), "");
}

TEST_F(Waivers, PartlyDeselectedClauseIsNoUnexpectedPass) {
  report_.results[0].cases = {row("c", Verdict::Pass)};
  EXPECT_EQ(apply("clause = 'FIX.broken'"), "");
}

TEST_F(Waivers, AnotherCandidatesEntryIsOutOfScope) {
  EXPECT_EQ(apply("clause = 'FIX.*'\ncandidate = 'libother.so*'"), "");
  EXPECT_EQ(verdict("a"), Verdict::Fail);
  EXPECT_EQ(apply("clause = 'FIX.broken'\ncandidate = 'librt.so*'"), "");
  EXPECT_EQ(verdict("a"), Verdict::Waived);
}

TEST_F(Waivers, ExpiredEntryCoversNothingAndIsAProblem) {
  EXPECT_NE(apply("clause = 'FIX.broken'\nexpiry = 2030-06-14").find("expired on 2030-06-14"),
            std::string::npos);
  EXPECT_EQ(verdict("a"), Verdict::Fail);
}

TEST_F(Waivers, LastDayStillHolds) {
  EXPECT_EQ(apply("clause = 'FIX.broken'\nexpiry = 2030-06-15"), "");
  EXPECT_EQ(verdict("a"), Verdict::Waived);
}

TEST_F(Waivers, OverlappingEntriesAreBothUsed) {
  EXPECT_EQ(apply("clause = 'FIX.broken'\ncases = ['a']",
                  "[[waiver]]\nreason = 'second'\nclause = 'FIX.broken'\n"),
            "");
  EXPECT_EQ(report_.results[0].cases[0].waiver, "known");
  EXPECT_EQ(report_.results[0].cases[1].waiver, "second");
}

TEST_F(Waivers, ProblemNamesFileAndLine) {
  EXPECT_EQ(apply("clause = 'FIX.nothing'").find("known.toml:1: waiver of `FIX.nothing`"), 0U);
}

TEST_F(Waivers, FailedLoadLeavesOtherEntriesAlone) {
  ClauseResult load;
  load.clause = find_clause("SYM.loads");
  load.cases = {row("load", Verdict::LoadError)};
  for (ClauseResult& result : report_.results) {
    for (CaseResult& one : result.cases) one.verdict = Verdict::Skip;
  }
  report_.results.insert(report_.results.begin(), load);
  EXPECT_EQ(apply("clause = 'FIX.broken'"), "");
  EXPECT_EQ(apply("clause = 'SYM.loads'"), "");
  EXPECT_EQ(report_.results[0].cases[0].verdict, Verdict::Waived);
}

}  // namespace
}  // namespace aoti_cts::tests
