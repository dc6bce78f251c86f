// JSON, JUnit and console reports, read back by independent readers, and how files are written.
//
//   build/dev/conformance/tests/aoti-cts-tests --gtest_filter='Reports.*:Text.*:Files.*:Progress.*'
//
// Success prints "[  PASSED  ]".
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <pugixml.hpp>

#include "report/console.h"
#include "report/files.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/text.h"
#include "support/command.h"
#include "support/schema.h"

namespace aoti_cts::tests {
namespace {

using Json = nlohmann::json;

CaseResult row(const char* name, Verdict verdict, const char* detail = "") {
  CaseResult result;
  result.name = name;
  result.verdict = verdict;
  result.detail = detail;
  result.assertions = 3;
  result.ms = 1.5;
  return result;
}

// A report with every verdict in it and every list filled.
Report full_report() {
  Report report;
  report.candidate = {{"/lib/a.so", "00ff"}, {"/lib/b.so", ""}};
  report.prefix = "acme_";
  report.profiles = {"core"};
  report.notes = {"a note"};
  report.results.resize(3);
  report.results[0].clause = find_clause("FIX.broken");
  CaseResult wrong = row("wrong", Verdict::Fail);
  wrong.failures = {{"sizes", "{1, 2}", "{1, 3} <&>\""}};
  wrong.failure_count = 1;
  wrong.calls = {"aoti_torch_clone"};
  wrong.stderr_tail = "a line\nand ]]> another";
  CaseResult crash = row("crash", Verdict::Crash, "SIGSEGV in aoti_torch_clone");
  crash.signal = 11;
  CaseResult exited = row("exit", Verdict::Exit, "code 3");
  exited.exit_code = 3;
  CaseResult waived = row("waived", Verdict::Waived, "SIGABRT");
  waived.waived_from = Verdict::Crash;
  waived.waiver = "known";
  report.results[0].cases = {row("pass", Verdict::Pass),
                             wrong,
                             crash,
                             exited,
                             waived,
                             row("skip", Verdict::Skip, "no shim"),
                             row("oom", Verdict::Oom),
                             row("timeout", Verdict::Timeout),
                             row("flaky", Verdict::Flaky),
                             row("load", Verdict::LoadError)};
  report.results[1].clause = find_clause("FIX.should");
  report.results[1].cases = {row("numel", Verdict::Fail)};
  report.results[2].clause = find_clause("FIX.may");
  report.results[2].cases = {row("storage", Verdict::Info, "24 bytes")};
  settle(report);
  return report;
}

Json schema() {
  std::ifstream file(AOTI_CTS_SCHEMA);
  return Json::parse(file);
}

TEST(Reports, JsonFitsItsClosedSchema) {
  Report report = full_report();
  EXPECT_EQ(violation(schema(), Json::parse(json_text(report))), "");
  report.tool_errors = {"ours"};
  report.waiver_problems = {"stale"};
  EXPECT_EQ(violation(schema(), Json::parse(json_text(report))), "");
}

TEST(Reports, SchemaRefusesWhatItDoesNotName) {
  Json json = Json::parse(json_text(full_report()));
  json["results"][0]["cases"][0]["extra"] = 1;
  EXPECT_NE(violation(schema(), json), "");
  json["results"][0]["cases"][0].erase("extra");
  json["results"][0]["verdict"] = "MAYBE";
  EXPECT_NE(violation(schema(), json), "");
  json["results"][0]["verdict"] = "PASS";
  json["results"][0].erase("level");
  EXPECT_NE(violation(schema(), json), "");
}

TEST(Reports, JsonSaysWhatHappened) {
  const Json json = Json::parse(json_text(full_report()));
  EXPECT_EQ(json["candidate"][0]["build_id"], "00ff");
  EXPECT_EQ(json["candidate"][1]["build_id"], nullptr);
  EXPECT_EQ(json["results"][0]["verdict"], "CRASH");
  EXPECT_EQ(json["exit_code"], 5);
  const Json wrong = case_of(json, "FIX.broken/wrong");
  EXPECT_EQ(wrong["have"], "{1, 2}");
  EXPECT_EQ(wrong["want"], "{1, 3} <&>\"");
  EXPECT_EQ(case_of(json, "FIX.broken/crash")["signal"], "SIGSEGV");
  EXPECT_EQ(case_of(json, "FIX.broken/exit")["exit_code"], 3);
  EXPECT_EQ(case_of(json, "FIX.broken/pass")["exit_code"], nullptr);
  EXPECT_EQ(case_of(json, "FIX.broken/waived")["waived_from"], "CRASH");
  EXPECT_EQ(json["summary"]["cases"]["FAIL"], 2);
  EXPECT_EQ(json["summary"]["clauses"]["INFO"], 1);
}

int count(const pugi::xml_node& node, const char* path) {
  return static_cast<int>(node.select_nodes(path).size());
}

TEST(Reports, JunitTotalsAreWhatIsInside) {
  Report report = full_report();
  report.waiver_problems = {"stale"};
  report.tool_errors = {"ours"};
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit_text(report).c_str()));
  const pugi::xml_node root = document.child("testsuites");
  EXPECT_EQ(root.attribute("tests").as_int(), count(root, "testsuite/testcase"));
  EXPECT_EQ(root.attribute("failures").as_int(), count(root, "testsuite/testcase/failure"));
  EXPECT_EQ(root.attribute("errors").as_int(), count(root, "testsuite/testcase/error"));
  for (const pugi::xml_node suite : root.children("testsuite")) {
    EXPECT_EQ(suite.attribute("tests").as_int(), count(suite, "testcase"));
    EXPECT_EQ(suite.attribute("failures").as_int(), count(suite, "testcase/failure"));
    EXPECT_EQ(suite.attribute("errors").as_int(), count(suite, "testcase/error"));
    EXPECT_EQ(suite.attribute("skipped").as_int(), count(suite, "testcase/skipped"));
  }
  EXPECT_EQ(count(root, "testsuite[@name='waivers']/testcase/failure"), 1);
  EXPECT_EQ(count(root, "testsuite[@name='tool']/testcase/error"), 1);
}

std::string outcome_of(const pugi::xml_node& root, const std::string& name) {
  const auto node = root.select_node(("testsuite/testcase[@name='" + name + "']").c_str()).node();
  for (const char* kind : {"failure", "error", "skipped"}) {
    if (node.child(kind))
      return kind + std::string(": ") + node.child(kind).attribute("message").value();
  }
  return node ? "passed" : "missing";
}

TEST(Reports, JunitKindsFollowTheVerdicts) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit_text(full_report()).c_str()));
  const pugi::xml_node root = document.child("testsuites");
  EXPECT_EQ(outcome_of(root, "pass"), "passed");
  EXPECT_EQ(outcome_of(root, "storage"), "passed");
  EXPECT_EQ(outcome_of(root, "wrong"), "failure: FAIL: sizes");
  EXPECT_EQ(outcome_of(root, "crash"), "error: CRASH: SIGSEGV in aoti_torch_clone");
  EXPECT_EQ(outcome_of(root, "timeout"), "error: TIMEOUT: ");
  EXPECT_EQ(outcome_of(root, "skip"), "skipped: SKIP: no shim");
  EXPECT_EQ(outcome_of(root, "waived"), "skipped: WAIVED CRASH: SIGABRT (waiver: known)");
  EXPECT_EQ(outcome_of(root, "numel"), "skipped: not counted without --strict, FAIL: ");
  const auto wrong = root.select_node("testsuite/testcase[@name='wrong']").node();
  EXPECT_STREQ(wrong.child("system-err").text().get(), "a line\nand ]]> another");
  EXPECT_NE(std::string(wrong.child("failure").text().get()).find("want {1, 3} <&>\""),
            std::string::npos);
  Report strict = full_report();
  strict.strict = true;
  ASSERT_TRUE(document.load_string(junit_text(strict).c_str()));
  EXPECT_EQ(outcome_of(document.child("testsuites"), "numel"), "failure: FAIL: ");
}

TEST(Reports, ConsoleShowsHaveWantAndColoursOnlyWhenTold) {
  const std::string plain = console_text(full_report(), {});
  EXPECT_NE(plain.find("have   {1, 2}"), std::string::npos) << plain;
  EXPECT_NE(plain.find("want   {1, 3}"), std::string::npos) << plain;
  EXPECT_NE(plain.find("seen: 24 bytes"), std::string::npos) << plain;
  EXPECT_NE(plain.find("and ]]> another"), std::string::npos) << plain;
  EXPECT_EQ(plain.find('\033'), std::string::npos);
  EXPECT_NE(console_text(full_report(), {true, false, false}).find('\033'), std::string::npos);
  const std::string quiet = console_text(full_report(), {false, true, false});
  EXPECT_EQ(quiet.find("24 bytes"), std::string::npos) << quiet;
  EXPECT_NE(quiet.find("have   {1, 2}"), std::string::npos) << quiet;
  EXPECT_NE(quiet.find("exit code 5"), std::string::npos) << quiet;
}

TEST(Text, PrintableIsValidUtf8WithoutControls) {
  EXPECT_EQ(printable("plain\n\ttext"), "plain\n\ttext");
  EXPECT_EQ(printable("\033[31m\a\x7f"), "\\x1b[31m\\x07\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // past the last character
  EXPECT_EQ(printable("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");           // no character
  EXPECT_EQ(printable("cut \xe2\x82"), "cut \\xe2\\x82");
}

TEST(Text, TailKeepsTheLastLines) {
  EXPECT_EQ(tail("", 3, 100), "");
  EXPECT_EQ(tail("\n\n", 3, 100), "");
  EXPECT_EQ(tail("a\nb\nc\n", 2, 100), "b\nc");
  EXPECT_EQ(tail("a\nb", 5, 100), "a\nb");
  EXPECT_EQ(tail("abcdef", 5, 3), "def");
}

TEST(Progress, OutsideOfATerminalALineNowAndThen) {
  const Scratch scratch;
  std::FILE* file = std::fopen(scratch.path("log").c_str(), "w");
  ASSERT_NE(file, nullptr);
  Progress seldom(file, 1000);
  Progress always(file, 0);
  seldom.show(1, 7, "FIX.broken/dim", 12);
  seldom.show(7, 7, "FIX.broken/dim", 0);
  always.show(1, 7, "FIX.broken/dim", 12.2);
  always.show(2, 7, "FIX.after/cuda", 0);
  always.clear();
  std::fclose(file);
  EXPECT_EQ(scratch.read("log"),
            "aoti-cts: [1/7] FIX.broken/dim, 12 s\naoti-cts: [2/7] FIX.after/cuda\n");
}

TEST(Files, AllOrNothing) {
  const Scratch scratch;
  scratch.write("one", "old");
  write_files({{scratch.path("one"), "new"}, {scratch.path("two"), "2"}});
  EXPECT_EQ(scratch.read("one"), "new");
  EXPECT_EQ(scratch.read("two"), "2");
  EXPECT_THROW(write_files({{scratch.path("one"), "newer"}, {scratch.path("no/such"), "x"}}),
               std::runtime_error);
  EXPECT_THROW(write_files({{scratch.path("one"), "newer"}, {"/dev/full", "x"}}),
               std::runtime_error);
  EXPECT_EQ(scratch.read("one"), "new");
  EXPECT_EQ(scratch.files(), (std::vector<std::string>{"one", "two"}));
}

TEST(Files, KeepsLinksAndTakesTheUsualMode) {
  const Scratch scratch;
  ASSERT_EQ(symlink("target", scratch.path("link").c_str()), 0);
  write_files({{scratch.path("link"), "text"}});
  EXPECT_EQ(scratch.read("target"), "text");
  struct stat info {};
  ASSERT_EQ(lstat(scratch.path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  const mode_t mask = umask(0);
  umask(mask);
  ASSERT_EQ(stat(scratch.path("target").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0666U & ~mask);
}

TEST(Files, DirectoriesAndMissingFoldersAreToldBeforeARun) {
  const Scratch scratch;
  EXPECT_THROW(check_writable(scratch.path()), std::runtime_error);
  EXPECT_THROW(check_writable(scratch.path("no/such")), std::runtime_error);
  EXPECT_NO_THROW(check_writable(scratch.path("fine")));
  EXPECT_NO_THROW(check_writable("-"));
}

}  // namespace
}  // namespace aoti_cts::tests
