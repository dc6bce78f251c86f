// `aoti-cts check --loader` on plug-ins that break the interface and on bad options; and the names
// that the suite foretells.
//
//   ctest -R conformance.path.command      "100% tests passed"
#include "support/command.h"

#include <gtest/gtest.h>

#include "path/names.h"

namespace aoti_cts::tests {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

void expect_usage(const std::vector<std::string>& options, const std::string& text,
                  const std::map<std::string, std::string>& environment = {}) {
  std::vector<std::string> argv = {AOTI_CTS_TOOL, "check"};
  argv.insert(argv.end(), options.begin(), options.end());
  const Ran ran = run(argv, "", environment);
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_NE(ran.err.find(text), std::string::npos) << ran.err;
}

TEST(Path, BadOptionsAreNamed) {
  const Scratch scratch;
  expect_usage({"--loader", scratch.path("missing.so")}, "--loader " + scratch.path("missing.so"));
  expect_usage({"--loader", scratch.path()}, "not a regular file");
  expect_usage({"--loader", ""}, "a file's name, not ''");
  expect_usage({"--loader", AOTI_CTS_ROGUE_LOADER, "--profile", "core"},
               "--loader needs profile path; --profile has core");
  expect_usage({"--loader", AOTI_CTS_ROGUE_LOADER, "--json", AOTI_CTS_ROGUE_LOADER}, "--loader");
}

TEST(Path, AnotherInterfaceIsAUsageError) {
  const std::pair<const char*, const char*> rows[] = {
      {"version_2", "version 2 of the interface, where 1 is needed"},
      {"short_table", "struct_size 8 of its AotiCtsLoader"},
      {"null_table", "aoti_cts_loader() returned null"},
      {"no_load", "its AotiCtsLoader has no load()"},
      {"no_destroy", "its AotiCtsLoader has no destroy()"},
  };
  for (const auto& [fault, text] : rows) {
    expect_usage({"--loader", AOTI_CTS_ROGUE_LOADER}, text, {{"AOTI_CTS_ROGUE", fault}});
  }
  expect_usage({"--loader", AOTI_CTS_OTHER_LIBRARY}, "exports no aoti_cts_loader()");
}

struct Row {
  const char* fault;
  const char* verdict;
  const char* text;  ///< in the report
};

const Row rows[] = {
    {"crash", "CRASH", "SIGABRT"},
    {"exit", "EXIT", ""},
    {"hang", "TIMEOUT", ""},
    {"message_without_end", "FAIL", "error 7: xxx"},
    {"no_handle", "FAIL", "load() returned 0 and no handle"},
    {"no_path", "FAIL", "load() returned 0 and no absolute path"},
    {"relative_path", "FAIL", "load() returned 0 and no absolute path"},
    {"crash_in_destroy", "CRASH", "SIGABRT"},
    {"crash_in_table", "CRASH", "SIGABRT"},
    {"longer_table", "FAIL", "a path that two loads share"},
};

class Rogue : public ::testing::TestWithParam<Row> {};

TEST_P(Rogue, IsSaidToBe) {
  const Row& row = GetParam();
  const Scratch temporary;
  const Ran checked = run({AOTI_CTS_TOOL, "check", "--loader", AOTI_CTS_ROGUE_LOADER, "--json", "-",
                           "--timeout", "0.5", "--select", "PATH.distinct/in_a_row"},
                          "", {{"AOTI_CTS_ROGUE", row.fault}, {"TMPDIR", temporary.path()}});
  EXPECT_EQ(temporary.files(), Names{});  // nothing is left of a case that crashed
  ASSERT_TRUE(Json::accept(checked.out)) << checked.err;
  EXPECT_EQ(verdicts(Json::parse(checked.out)).at("PATH.distinct/in_a_row"), row.verdict);
  EXPECT_NE(checked.out.find(row.text), std::string::npos) << checked.out;
}

INSTANTIATE_TEST_SUITE_P(, Rogue, ::testing::ValuesIn(rows),
                         [](const auto& row) { return std::string(row.param.fault); });

TEST(Names, TheCounterGoesOn) {
  EXPECT_EQ(path::next_names({"a-77-1.so", "a-77-2.so", "a-77-3.so"}),
            (Names{"a-77-1.so", "a-77-10.so", "a-77-11.so", "a-77-2.so", "a-77-3.so", "a-77-4.so",
                   "a-77-5.so", "a-77-6.so", "a-77-7.so", "a-77-8.so", "a-77-9.so"}));
  EXPECT_EQ(path::next_names({"08", "10", "12"}).back(), "28");
  EXPECT_EQ(path::next_names({"007", "008", "009"}).back(), "017");
}

TEST(Names, NothingIsForetoldWithoutAPattern) {
  for (const Names& used : {Names{"a1b", "a9b", "a3b"}, Names{"a1-5", "a2-6", "a3-7"},
                            Names{"x1", "y2", "z3"}, Names{"n1", "n2"}}) {
    EXPECT_EQ(path::next_names(used).size(), used.size());
  }
  EXPECT_EQ(path::next_names({"same", "same", "same"}), Names{"same"});
  EXPECT_EQ(path::next_names({"9999999999999999991", "9999999999999999992", "9999999999999999993"})
                .size(),
            3U);
}

}  // namespace
}  // namespace aoti_cts::tests
