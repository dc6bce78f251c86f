// Every way in which a candidate misbehaves: the verdict on the case that it breaks, and that no
// other case lost its result.
//
//   build/dev/conformance/tests/aoti-cts-tests --gtest_filter='*Candidates*'    [  PASSED  ]
#include <gtest/gtest.h>
#include <signal.h>

#include <ostream>

#include "support/candidate.h"
#include "support/command.h"

namespace aoti_cts::tests {
namespace {

using Verdicts = std::map<std::string, std::string>;

const Verdicts all_pass = {
    {"SYM.loads/load", "PASS"},   {"FIX.before/cpu", "PASS"},
    {"FIX.broken/dim", "PASS"},   {"FIX.after/cuda", "PASS"},
    {"FIX.after/layout", "PASS"}, {"FIX.should/numel", "PASS"},
    {"FIX.may/storage", "INFO"},  {"FIX.gtest/DISABLED_expect", "PASS"},
};

struct Expectation {
  const char* candidate;
  int code;             ///< exit code of the whole run
  Verdicts differs;     ///< from all_pass
  const char* at = "";  ///< the case whose object has to contain `texts`
  std::vector<const char*> texts = {};
};

void PrintTo(const Expectation& row, std::ostream* out) { *out << row.candidate; }

constexpr const char* broken = "FIX.broken/dim";
constexpr const char* loads = "SYM.loads/load";

Expectation breaks(const char* candidate, int code, const char* verdict,
                   std::vector<const char*> texts) {
  return {candidate, code, {{broken, verdict}}, broken, std::move(texts)};
}

Expectation load_fails(const char* candidate, int code, const char* verdict,
                       std::vector<const char*> texts) {
  Expectation row{candidate, code, {}, loads, std::move(texts)};
  for (const auto& [id, ignored] : all_pass) row.differs[id] = "SKIP";
  row.differs[loads] = verdict;
  return row;
}

const char* const in_dim = "in aoti_torch_get_dim";

const Expectation expectations[] = {
    {"sane", 0, {}, "FIX.may/storage", {"24 bytes"}},
    breaks("wrong", 1, "FAIL", {"\"have\":\"3\"", "\"want\":\"2\"", "\"what\":\"dim\""}),
    {"wrong_should", 0, {{"FIX.should/numel", "FAIL"}}},
    {"wrong_dtype", 1, {{"FIX.gtest/DISABLED_expect", "FAIL"}}, "FIX.gtest/DISABLED_expect", {"7"}},
    {"crashes_should", 0, {{"FIX.should/numel", "CRASH"}}},
    {"crashes_may",
     5,
     {{"FIX.may/storage", "CRASH"}},
     "FIX.may/storage",
     {"SIGABRT", "aoti_torch_get_storage_size"}},
    {"hangs_may", 5, {{"FIX.may/storage", "TIMEOUT"}}, "FIX.may/storage", {"2 s"}},
    breaks("aborts", 5, "CRASH",
           {"\"signal\":\"SIGABRT\"", in_dim, "last words", "aoti_torch_device_type_cpu"}),
    breaks("segfaults", 5, "CRASH", {"\"signal\":\"SIGSEGV\"", in_dim}),
    breaks("overflows_stack", 5, "CRASH", {"\"signal\":\"SIGSEGV\"", in_dim}),
    breaks("hangs", 5, "TIMEOUT", {"2 s", in_dim}),
    breaks("hangs_hard", 5, "TIMEOUT", {in_dim}),
    breaks("floods_processors", 5, "TIMEOUT", {"2 s", in_dim}),
    breaks("multiplies", 5, "OOM", {"more than 256 processes at once", in_dim}),
    breaks("stops_itself", 5, "TIMEOUT", {"stopped by SIGSTOP", in_dim}),
    breaks("stops_parent", 5, "TIMEOUT", {"stopped by SIGSTOP", in_dim}),
    breaks("exits_zero", 5, "EXIT", {"\"exit_code\":0", in_dim}),
    breaks("exits_with_handlers", 5, "EXIT", {"\"exit_code\":7", in_dim}),
    breaks("exits_quick", 5, "EXIT", {"\"exit_code\":42", in_dim}),
    breaks("ends_thread", 5, "EXIT", {"\"exit_code\":0", in_dim}),
    breaks("eats_memory", 5, "OOM", {"limit 64 MiB", in_dim}),
    breaks("child_eats_memory", 5, "OOM", {"limit 64 MiB", in_dim}),
    breaks("daemon_eats_memory", 5, "OOM", {"limit 64 MiB", in_dim}),
    {"children_share_memory", 0, {}},
    {"eats_address_space", 0, {}},
    breaks("throws", 1, "FAIL", {"exception escaped from aoti_torch_get_dim", "out of cheese"}),
    breaks("throws_int", 1, "FAIL", {"exception escaped from aoti_torch_get_dim"}),
    breaks("throws_noexcept", 5, "CRASH", {"\"signal\":\"SIGABRT\"", "terminated"}),
    {"writes_to_stdout", 0, {}},
    {"closes_everything", 0, {}},
    {"changes_directory", 0, {}},
    {"thread_at_load", 0, {}},
    breaks("handles_signals", 5, "CRASH", {"\"signal\":\"SIGSEGV\"", in_dim}),
    {"ignores_sigchld", 0, {}},
    {"refuses_processes", 0, {}},
    breaks("scribbles", 1, "FAIL", {"\"have\":\"overwritten\""}),
    load_fails("load_exits", 5, "EXIT",
               {"the process ended with code", "while the candidate was loaded"}),
    load_fails("load_aborts", 5, "CRASH", {"\"signal\":\"SIGABRT\"", "no licence found"}),
    load_fails("load_hangs", 5, "TIMEOUT", {"2 s"}),
    load_fails("load_stops", 5, "TIMEOUT", {"stopped by SIGSTOP"}),
    load_fails("load_throws", 1, "LOAD_ERROR", {"an initialiser threw: not today"}),
    load_fails("bare_undefined", 1, "LOAD_ERROR", {"nobody_has_this_function"}),
    load_fails("lacks_dependency", 1, "LOAD_ERROR", {"libaoti_cts_absent.so"}),
    breaks("once_crashes", 5, "FLAKY", {"first CRASH (SIGABRT in aoti_torch_get_dim), then PASS"}),
    {"once_load_crashes", 5, {{loads, "FLAKY"}}, loads, {"first CRASH (SIGABRT", "then PASS"}},
    {"fork_crashes", 0, {}},
    {"fork_child_crashes", 0, {}},
    breaks("kills_parent", 5, "CRASH", {"\"signal\":\"SIGKILL\"", "fork server"}),
    {"forks_twice", 0, {}},
    breaks("becomes_daemon", 5, "EXIT", {"\"exit_code\":0"}),
    {"leaves_process", 0, {}},
    {"bare_few",
     0,
     {{broken, "SKIP"},
      {"FIX.after/cuda", "SKIP"},
      {"FIX.after/layout", "SKIP"},
      {"FIX.should/numel", "SKIP"},
      {"FIX.may/storage", "SKIP"},
      {"FIX.gtest/DISABLED_expect", "SKIP"}},
     broken,
     {"needs aoti_torch_get_dim, which the candidate does not export"}},
};

class Candidates : public testing::TestWithParam<Expectation> {};

// Small limits: --timeout is waited out by the candidates that hang, once more in the second try.
nlohmann::json check(const Scratch& scratch, const std::string& library, Ran& ran,
                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> argv = {AOTI_CTS_FIXTURE,
                                   "check",
                                   "--candidate",
                                   candidate(library),
                                   "--prefix=",
                                   "--json",
                                   "report.json",
                                   "--timeout",
                                   "2",
                                   "--memory",
                                   "64",
                                   "--jobs",
                                   "2"};
  argv.insert(argv.end(), more.begin(), more.end());
  ran = run(argv, scratch.path(), {{"AOTI_TEST_STATE", scratch.path("state")}});
  return nlohmann::json::parse(scratch.read("report.json"), nullptr, false);
}

TEST_P(Candidates, VerdictAndNoOtherResultLost) {
  const Expectation& row = GetParam();
  const Scratch scratch;
  Ran ran;
  const auto report = check(scratch, row.candidate, ran);
  ASSERT_FALSE(report.is_discarded()) << ran.out << ran.err;
  Verdicts want = all_pass;
  for (const auto& [id, verdict] : row.differs) want[id] = verdict;
  EXPECT_EQ(verdicts(report), want) << ran.out;
  EXPECT_EQ(ran.code, row.code) << ran.out << ran.err;
  EXPECT_EQ(report["tool_errors"], nlohmann::json::array());
  const std::string text = case_of(report, *row.at == 0 ? loads : row.at).dump();
  for (const char* part : row.texts) EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

INSTANTIATE_TEST_SUITE_P(All, Candidates, testing::ValuesIn(expectations),
                         [](const auto& info) { return std::string(info.param.candidate); });

TEST(Candidates, ReportOnStdoutIsUndisturbed) {
  const Ran ran =
      run({AOTI_CTS_FIXTURE, "check", "--candidate", candidate("writes_to_stdout"), "--json", "-"});
  const auto report = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << ran.out.substr(0, 400);
  EXPECT_EQ(verdicts(report), all_pass);
}

TEST(Candidates, ThreadAtLoadIsToldAndEachCaseLoadsAfresh) {
  const Scratch scratch;
  Ran ran;
  const auto report = check(scratch, "thread_at_load", ran);
  EXPECT_NE(report["notes"].dump().find("thread(s) run once the candidate is loaded"),
            std::string::npos)
      << report["notes"];
}

TEST(Candidates, LeakIsAFailureWhereItIsLookedFor) {
  const Scratch scratch;
  Ran ran;
  Verdicts want = all_pass;
  EXPECT_EQ(verdicts(check(scratch, "leaks", ran)), want) << ran.out;
  if (std::string(AOTI_CTS_SANITIZED).find("address") != std::string::npos) want[broken] = "FAIL";
  ran = run({AOTI_CTS_FIXTURE, "check", "--candidate", candidate("leaks"), "--json", "-"}, "",
            {{"AOTI_CTS_LEAK_CHECK", "1"}});
  EXPECT_EQ(verdicts(nlohmann::json::parse(ran.out, nullptr, false)), want) << ran.err;
}

TEST(Candidates, LeavesNoProcessBehind) {
  const Scratch scratch;
  Ran ran;
  check(scratch, "leaves_process", ran);
  const std::string pid = scratch.read("state");
  ASSERT_FALSE(pid.empty());
  EXPECT_EQ(kill(std::stoi(pid), 0), -1) << "process " << pid << " is still there";
}

TEST(Candidates, BuiltForAddressSanitizerIsALineInTheReport) {
  const Scratch scratch;
  Ran ran;
  const auto report = check(scratch, "with_asan", ran);
  ASSERT_FALSE(report.is_discarded()) << ran.err;
  if (std::string(AOTI_CTS_SANITIZED).find("address") != std::string::npos) {
    EXPECT_EQ(verdicts(report), all_pass);  // the right process for it
    return;
  }
  // GCC's runtime ends the process in dlopen, Clang's leaves symbols undefined.
  const std::string verdict = case_of(report, loads)["verdict"];
  EXPECT_TRUE(verdict == "EXIT" || verdict == "LOAD_ERROR") << verdict;
  const std::string text = case_of(report, loads).dump();
  EXPECT_TRUE(text.find("ASan runtime does not come first") != std::string::npos ||
              text.find("undefined symbol: __asan") != std::string::npos)
      << text;
  EXPECT_EQ(case_of(report, broken)["verdict"], "SKIP");
}

TEST(Candidates, SeveralLibrariesFormOneRuntimeAndTheFirstDefinerWins) {
  const Scratch scratch;
  Ran ran;
  auto report = check(scratch, "bare_few", ran, {"--candidate", candidate("bare_rest")});
  EXPECT_EQ(verdicts(report), all_pass) << ran.out;
  EXPECT_EQ(report["candidate"].size(), 2U);
  report = check(scratch, "bare_rest", ran, {"--candidate", candidate("bare_few")});
  EXPECT_EQ(verdicts(report)["FIX.before/cpu"], "FAIL") << ran.out;
}

TEST(Candidates, NoShimUnderThePrefixNamesTheOnesThatHaveSome) {
  const Scratch scratch;
  Ran ran;
  auto report = check(scratch, "bare_prefixed", ran);
  EXPECT_NE(report["notes"].dump().find("1 with --prefix=executorch_"), std::string::npos)
      << report;
  EXPECT_EQ(ran.code, 4) << ran.out;
  report = check(scratch, "bare_none", ran);
  EXPECT_NE(report["notes"].dump().find("no shim was found"), std::string::npos) << report;
  EXPECT_EQ(ran.code, 4) << ran.out;
}

}  // namespace
}  // namespace aoti_cts::tests
