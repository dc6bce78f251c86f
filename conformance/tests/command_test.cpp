// The command as a user meets it: options, exit codes, reports, and its own faults.
//
//   build/dev/conformance/tests/aoti-cts-tests --gtest_filter='Command.*:BuildId.*'    [  PASSED  ]
#include "support/command.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <pugixml.hpp>
#include <set>

#include "runner/build_id.h"
#include "support/candidate.h"
#include "support/schema.h"

namespace aoti_cts::tests {
namespace {

using Json = nlohmann::json;

Ran fixture(std::vector<std::string> arguments, const std::string& library = "sane",
            const std::string& folder = "") {
  std::vector<std::string> argv = {AOTI_CTS_FIXTURE, "check", "--candidate", candidate(library)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv, folder);
}

Json json_of(const Ran& ran) { return Json::parse(ran.out, nullptr, false); }

TEST(Command, ExitCodeOfEachKind) {
  EXPECT_EQ(fixture({}).code, 0);
  EXPECT_EQ(fixture({}, "wrong").code, 1);
  EXPECT_EQ(fixture({"--no-such-option"}).code, 2);
  EXPECT_EQ(run({AOTI_CTS_ROGUE, "check", "--candidate", candidate("sane")}).code, 3);
  EXPECT_EQ(fixture({"--select", "NO.such"}).code, 4);
  EXPECT_EQ(fixture({}, "aborts").code, 5);
}

TEST(Command, ExitCodeIsTheFirstThatApplies) {
  // Crashes, and a tool error besides; fails and crashes; everything that was asked for is skipped.
  EXPECT_EQ(run({AOTI_CTS_ROGUE, "check", "--candidate", candidate("aborts")}).code, 3);
  EXPECT_EQ(fixture({"--profile", "core,failures"}, "aborts").code, 5);
  EXPECT_EQ(fixture({"--select", "FIX.missing", "--profile", "missing"}).code, 4);
}

TEST(Command, HelpHasTheExitCodes) {
  const Ran ran = run({AOTI_CTS_TOOL, "check", "--help"});
  EXPECT_EQ(ran.code, 0);
  for (const char* line :
       {"  0  conformant", "  1  not", "  2  usage", "  3  tool", "  4  nothing", "  5  the"}) {
    EXPECT_NE(ran.out.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(run({AOTI_CTS_TOOL, "--version"}).out, "aoti-cts " AOTI_CTS_VERSION "\n");
}

TEST(Command, UsageErrorsNameOptionAndValue) {
  const auto says = [](std::vector<std::string> arguments, const char* text) {
    const Ran ran = fixture(std::move(arguments));
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_NE((ran.out + ran.err).find(text), std::string::npos) << ran.err;
  };
  says({"--candidate", "/no/such.so"}, "--candidate /no/such.so: No such file");
  says({"--candidate", "/tmp"}, "--candidate /tmp: not a regular file");
  says({"--profile", "cor"}, "--profile cor: there are core");
  says({"--timeout", "0"}, "--timeout 0");
  says({"--timeout", "soon"}, "--timeout");
  says({"--jobs", "0"}, "--jobs");
  says({"--memory", "-1"}, "--memory");
  says({"--shuffle", "x"}, "--shuffle");
  says({"--json", "-", "--junit", "-"}, "--json - and --junit -");
  says({"--waivers", "/no/such.toml"}, "/no/such.toml: the waiver file cannot be read");
  says({"--quiet", "--verbose"}, "--quiet and --verbose");
  says({"--shuffle", "-1"}, "--shuffle");
  says({"--shuffle", "18446744073709551616"}, "--shuffle");
  says({"--prefix", "two words"}, "--prefix 'two words': has to be letters");
  says({"--prefix", "1st_"}, "--prefix '1st_'");
  says({"--prefix", "bell\a_"}, "--prefix 'bell\\x07_'");
  says({"--candidate", ""}, "--candidate '': No such file");
  // A library that is named behind a list is no part of it: the reference would be judged instead.
  says({"--select", "FIX.*", "library.so"}, "not expected: library.so");
  says({"--exclude", "FIX.*", "library.so"}, "not expected: library.so");
  says({"--against", candidate("sane"), "library.so"}, "not expected: library.so");
}

TEST(Command, WhatIsNoLibraryForThisMachineIsAUsageError) {
  const Scratch scratch;
  const auto says = [&](const std::string& bytes, const std::string& text) {
    scratch.write("it.so", bytes);
    const Ran ran = run({AOTI_CTS_FIXTURE, "check", "--candidate", "it.so"}, scratch.path(""));
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_NE(ran.err.find("--candidate it.so: " + text), std::string::npos) << ran.err;
  };
  std::ifstream file(candidate("sane"), std::ios::binary);
  const std::string sane{std::istreambuf_iterator<char>(file), {}};
  const auto with = [&](std::size_t at, char byte) {
    std::string changed = sane;
    changed[at] = byte;
    return changed;
  };
  says("", "is empty");
  says("INPUT(libother.so)", "no ELF file: begins with 'INPU'");
  says("MZ", "no ELF file");
  says("!<arch>\n", "a static archive");
  says(sane.substr(0, 60), "60 bytes, cut short");
  says(sane.substr(0, 100), "100 bytes, cut short");
  says(sane.substr(0, sane.size() / 4), fmt::format("{} bytes, cut short", sane.size() / 4));
  says(with(EI_CLASS, ELFCLASSNONE), "EI_CLASS is 0, want ");
  says(with(EI_DATA, ELFDATANONE), "EI_DATA is 0, want ");
  says(with(offsetof(Elf64_Ehdr, e_machine), static_cast<char>(EM_PPC64)),
       "e_machine is 21 (PowerPC64), want ");
  says(with(offsetof(Elf64_Ehdr, e_type), ET_EXEC), "e_type is 2, want 3");
  scratch.write("it.so", sane);
  EXPECT_EQ(run({AOTI_CTS_FIXTURE, "check", "--candidate", "it.so"}, scratch.path("")).code, 0);
}

TEST(Command, WhatIsJudgedElsewhereIsSaid) {
  const Ran ran = run({AOTI_CTS_TOOL, "check", "--select", "SYM.prefixed", "--select",
                       "BLOB.no-leak", "--select", "NO.such"});
  EXPECT_EQ(ran.code, 4);
  for (const char* text : {"`SYM.prefixed` matches no case here; some with aoti-cts symbols",
                           "`BLOB.no-leak` matches no case here; some with --profile blob",
                           "`NO.such` matches no case"}) {
    EXPECT_NE(ran.out.find(text), std::string::npos) << ran.out;
  }
}

TEST(Command, NoReportReplacesAFileOfTheRun) {
  const Scratch scratch;
  scratch.write("library.so", "not one");
  const auto refuses = [&](const std::vector<std::string>& arguments) {
    const Ran ran = run(arguments, scratch.path(""));
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_NE(ran.err.find("which it would replace"), std::string::npos) << ran.err;
    EXPECT_EQ(scratch.read("library.so"), "not one");
  };
  const std::string tool = AOTI_CTS_TOOL;
  refuses({tool, "check", "--candidate", "library.so", "--json", "./library.so"});
  refuses({tool, "check", "--against", "library.so", "--junit", scratch.path("library.so")});
  refuses({tool, "check", "--waivers", "library.so", "--json", "library.so"});
  refuses({tool, "check", "--json", "new", "--junit", "./new"});
  refuses({tool, "symbols", "library.so", "--sarif", "library.so"});
  refuses({tool, "symbols", "library.so", "--json", "new", "--save-baseline", "new"});
  EXPECT_EQ(run({tool, "check", "--select", "TENSOR.codes", "--json", "/dev/null", "--junit",
                 "/dev/null"})
                .code,
            0);
}

TEST(Command, WhatCannotBePrintedIsAnError) {
  EXPECT_EQ(run({"/bin/sh", "-c", AOTI_CTS_TOOL " --help >/dev/full"}).code, 3);
  EXPECT_EQ(run({"/bin/sh", "-c", AOTI_CTS_TOOL " list >/dev/full"}).code, 3);
}

TEST(Command, BothSpellingsOfNoPrefix) {
  for (const auto& spelling : {std::vector<std::string>{"--prefix="}, {"--prefix", ""}, {}}) {
    EXPECT_EQ(fixture(spelling).code, 0);
  }
  const Ran ran = fixture({"--prefix", "acme_"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_NE(ran.out.find("no shim was found with the prefix \"acme_\"; found: "), std::string::npos)
      << ran.out;
  EXPECT_EQ(fixture({"--prefix=executorch_", "--select", "FIX.before"}, "bare_prefixed").code, 0);
}

std::set<std::string> judged(const Ran& ran) {
  std::set<std::string> ids;
  for (const auto& [id, verdict] : verdicts(json_of(ran))) ids.insert(id);
  return ids;
}

TEST(Command, SelectAndExcludeByClauseAndByCase) {
  using Ids = std::set<std::string>;
  EXPECT_EQ(judged(fixture({"--json", "-", "--select", "FIX.after"})),
            (Ids{"SYM.loads/load", "FIX.after/cuda", "FIX.after/layout"}));
  EXPECT_EQ(judged(fixture({"--json", "-", "--select", "*/cuda", "--select", "FIX.be*"})),
            (Ids{"SYM.loads/load", "FIX.after/cuda", "FIX.before/cpu"}));
  EXPECT_EQ(judged(fixture({"--json", "-", "--select", "FIX.after", "--exclude", "FIX.after/l*"})),
            (Ids{"SYM.loads/load", "FIX.after/cuda"}));
  const Ran ran = fixture({"--select", "FIX.after", "--select", "FIX.aftre"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("`FIX.aftre` matches no case"), std::string::npos) << ran.out;
}

TEST(Command, LoadAloneCanBeAskedFor) {
  EXPECT_EQ(fixture({"--select", "SYM.loads"}).code, 0);
  EXPECT_EQ(fixture({"--select", "SYM.loads"}, "load_aborts").code, 5);
}

TEST(Command, ListPrintsTheCasesAndRunsNone) {
  const Ran ran = fixture({"--list", "--select", "FIX.[ab]*"}, "load_aborts");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "FIX.before/cpu\nFIX.broken/dim\nFIX.after/cuda\nFIX.after/layout\n");
  EXPECT_EQ(fixture({"--list", "--select", "NO.such"}).code, 4);
}

TEST(Command, StrictMakesShouldCount) {
  EXPECT_EQ(fixture({}, "wrong_should").code, 0);
  EXPECT_EQ(fixture({"--strict"}, "wrong_should").code, 1);
  EXPECT_EQ(fixture({}, "crashes_should").code, 0);
  EXPECT_EQ(fixture({"--strict"}, "crashes_should").code, 5);
  EXPECT_EQ(fixture({}, "crashes_may").code, 5);  // whatever the level, a crash is no answer
}

TEST(Command, OrderAndNumberOfJobsChangeNoResult) {
  const auto want = verdicts(json_of(fixture({"--json", "-"}, "wrong")));
  for (const char* jobs : {"1", "2", "7"}) {
    for (const char* seed : {"1", "2", "18446744073709551615"}) {
      const Ran ran = fixture({"--json", "-", "--jobs", jobs, "--shuffle", seed}, "wrong");
      EXPECT_EQ(verdicts(json_of(ran)), want) << jobs << " " << seed;
    }
  }
}

TEST(Command, ThousandsOfCasesKeepTheirOrderInTheReport) {
  const Json report = json_of(fixture({"--json", "-", "--profile", "many", "--shuffle", "5"}));
  const Json& cases = report["results"][1]["cases"];
  ASSERT_EQ(cases.size(), 2000U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i]["name"], "number_" + std::to_string(i));
    EXPECT_EQ(cases[i]["verdict"], "PASS");
  }
}

TEST(Command, ForeignTestIsAToolError) {
  const Ran ran = run({AOTI_CTS_ROGUE, "check", "--candidate", candidate("sane"), "--json", "-"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(json_of(ran)["tool_errors"].dump().find("Rogue.test"), std::string::npos) << ran.out;
}

TEST(Command, CaseWithoutAssertionIsAToolError) {
  const Ran ran = fixture({"--profile", "core,silent", "--json", "-"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(json_of(ran)["tool_errors"],
            Json::array({"case FIX.silent/nothing recorded no assertion: it judged nothing"}));
  EXPECT_EQ(case_of(json_of(ran), "FIX.after/cuda")["verdict"], "PASS");
}

TEST(Command, ExceptionOfTheBodyItselfIsAFailure) {
  const Json report = json_of(fixture({"--profile", "throws", "--json", "-"}));
  const Json row = case_of(report, "FIX.throws/standard");
  EXPECT_EQ(row["verdict"], "FAIL");
  EXPECT_EQ(row["failures"][0]["what"], "exception in the case's body");
  EXPECT_EQ(row["have"], "from the body");
  EXPECT_EQ(case_of(report, "FIX.throws/other")["verdict"], "FAIL");
}

TEST(Command, ManyFailuresAreCountedAndLongOnesCut) {
  const Ran ran = fixture({"--profile", "failures", "--json", "-"});
  const Json row = case_of(json_of(ran), "FIX.failures/hundred");
  EXPECT_EQ(row["failure_count"], 100);
  EXPECT_EQ(row["failures"].size(), 8U);
  EXPECT_NE(ran.err.find("and 92 more"), std::string::npos) << ran.err;
  const std::string have = case_of(json_of(ran), "FIX.failures/bytes")["have"];
  EXPECT_EQ(have.find("bell \\x07, \\xff, <&> and xxx"), 0U) << have;
  EXPECT_LT(have.size(), 1000U);
}

TEST(Command, GoogleTestsEnvironmentChangesNothing) {
  const Scratch scratch;
  const Ran ran = run({AOTI_CTS_FIXTURE, "check", "--candidate", candidate("sane"), "--json", "-"},
                      scratch.path(),
                      {{"GTEST_FILTER", "nothing"},
                       {"GTEST_REPEAT", "3"},
                       {"GTEST_SHUFFLE", "1"},
                       {"GTEST_OUTPUT", "xml:" + scratch.path("gtest.xml")},
                       {"GTEST_TOTAL_SHARDS", "2"},
                       {"GTEST_SHARD_INDEX", "1"},
                       {"GTEST_FAIL_FAST", "1"}});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(verdicts(json_of(ran)).size(), 8U);
  EXPECT_TRUE(scratch.files().empty());
}

TEST(Command, ReportsFitSchemaAndReader) {
  const Scratch scratch;
  for (const char* library : {"sane", "wrong", "aborts", "load_aborts", "bare_few"}) {
    fixture({"--json", "r.json", "--junit", "r.xml"}, library, scratch.path());
    std::ifstream schema(AOTI_CTS_SCHEMA);
    EXPECT_EQ(violation(Json::parse(schema), Json::parse(scratch.read("r.json"))), "") << library;
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(scratch.read("r.xml").c_str())) << library;
    EXPECT_EQ(document.child("testsuites").attribute("tests").as_int(), 8) << library;
  }
}

TEST(Command, UnwritableReportIsExit3AndLeavesNothing) {
  const Scratch scratch;
  scratch.write("old.json", "old");
  EXPECT_EQ(fixture({"--json", "/no/such/folder/r.json"}).code, 3);
  EXPECT_EQ(fixture({"--json", scratch.path()}).code, 3);
  Ran ran = fixture({"--json", "old.json", "--junit", "/dev/full"}, "sane", scratch.path());
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("/dev/full"), std::string::npos) << ran.err;
  EXPECT_EQ(scratch.read("old.json"), "old");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"old.json"});
  ran = run(
      {"/bin/sh", "-c",
       std::string(AOTI_CTS_FIXTURE) + " check --candidate " + candidate("sane") + " >/dev/full"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("standard output"), std::string::npos) << ran.err;
}

TEST(Command, WaiversChangeTheOutcomeAndStayVisible) {
  const Scratch scratch;
  scratch.write("w.toml", "[[waiver]]\nclause = 'FIX.broken'\nreason = 'known since long'\n");
  const std::vector<std::string> options = {"--waivers", "w.toml",  "--json",
                                            "r.json",    "--junit", "r.xml"};
  Ran ran = fixture(options, "aborts", scratch.path());
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("WAIVED"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("known since long"), std::string::npos) << ran.out;
  const Json row = case_of(Json::parse(scratch.read("r.json")), "FIX.broken/dim");
  EXPECT_EQ(row["verdict"], "WAIVED");
  EXPECT_EQ(row["waived_from"], "CRASH");
  EXPECT_EQ(row["waiver"], "known since long");
  EXPECT_NE(scratch.read("r.xml").find("WAIVED CRASH"), std::string::npos);
  ran = fixture(options, "sane", scratch.path());
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_NE(ran.out.find("w.toml:1: waiver of `FIX.broken` is not needed"), std::string::npos)
      << ran.out;
  ran = fixture({"--waivers", "w.toml", "--exclude", "FIX.broken"}, "sane", scratch.path());
  EXPECT_EQ(ran.code, 0) << ran.out;
  scratch.write("w.toml", "[[waiver]]\nclause = 'FIX.broken'\n");
  EXPECT_EQ(fixture(options, "sane", scratch.path()).code, 2);
}

TEST(Command, InterruptedRunReportsWhatItHas) {
  const Scratch scratch;
  const std::string state = scratch.path("state");
  const std::string command =
      std::string(AOTI_CTS_FIXTURE) + " check --jobs 1 --timeout 60 " + "--candidate " +
      candidate("hangs_gently") + " --json r.json --junit r.xml & pid=$!; " +
      "while [ ! -s state ]; do sleep 0.05; done; kill -TERM $pid; wait $pid";
  const Ran ran = run({"/bin/sh", "-c", command}, scratch.path(), {{"AOTI_TEST_STATE", state}});
  EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("interrupted by SIGTERM: 1 of 7 cases were judged"), std::string::npos)
      << ran.out;
  const Json report = Json::parse(scratch.read("r.json"));
  EXPECT_EQ(case_of(report, "FIX.before/cpu")["verdict"], "PASS");
  EXPECT_EQ(case_of(report, "FIX.broken/dim")["verdict"], "SKIP");
  EXPECT_EQ(case_of(report, "FIX.after/cuda")["detail"], "SIGTERM came first");
  EXPECT_NE(scratch.read("r.xml").find("interrupted by SIGTERM"), std::string::npos);
  EXPECT_EQ(kill(std::stoi(scratch.read("state")), 0), -1) << "the case is still running";
}

TEST(Command, UnknownWordIsNamed) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"chek"}, {"chek", "--strict"}, {"--strict", "chek"}}) {
    std::vector<std::string> argv = {AOTI_CTS_TOOL};
    argv.insert(argv.end(), words.begin(), words.end());
    const Ran ran = run(argv);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("chek"), std::string::npos) << ran.err;
  }
}

TEST(Command, WhatTheCandidateSetsInTheEnvironmentIsItsOwnAffair) {
  const Ran ran = run({AOTI_CTS_TOOL, "check", "--candidate", candidate("sets_tmpdir"),
                       "--prefix=", "--select", "SYM.dlsym-agrees", "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
}

// Clears the mark that ends the last chain of DT_GNU_HASH: a loader finds every name all the same.
std::string without_end_of_chain(std::string library) {
  Elf64_Ehdr header{};
  std::memcpy(&header, library.data(), sizeof(header));
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    std::memcpy(&section, library.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type == SHT_GNU_HASH) library[section.sh_offset + section.sh_size - 4] &= ~1;
  }
  return library;
}

TEST(Command, SymbolTableThatOnlyALoaderTakesEndsNoRun) {
  const Scratch scratch;
  std::ifstream file(candidate("sane"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  scratch.write("odd.so", without_end_of_chain(whole));
  ASSERT_NE(scratch.read("odd.so"), whole);
  for (const char* device : {"--prefix=", "--virtual-cuda"}) {
    const Ran ran = run({AOTI_CTS_TOOL, "check", "--candidate", scratch.path("odd.so"), device,
                         "--select", "SYM.[di]*", "--json", "-"});
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(case_of(json_of(ran), "SYM.dlsym-agrees/local")["verdict"], "FAIL");
    const Json skipped = case_of(json_of(ran), "SYM.interposition/libtorch_first_local");
    EXPECT_EQ(skipped["verdict"], "SKIP");
    EXPECT_NE(skipped["detail"].dump().find("a symbol table cannot be read"), std::string::npos)
        << skipped;
  }
}

TEST(Command, TheLastLineCountsWhatDoesNotCount) {
  EXPECT_NE(fixture({}, "wrong_should")
                .out.find("conformant (1 SHOULD clause fails, not counted) (exit code 0)"),
            std::string::npos);
  EXPECT_NE(fixture({}).out.find("\nconformant (exit code 0)"), std::string::npos);
}

// Section BLOB judges models of ours too, over our own checked reference: that says nothing of a
// candidate without a shim.
TEST(Command, WithoutShimsNothingIsVerified) {
  const Ran ran = run({AOTI_CTS_TOOL, "check", "--profile", "blob", "--select", "VIEW.*",
                       "--candidate", candidate("bare_none"), "--prefix", ""});
  EXPECT_EQ(ran.code, 4) << ran.out << ran.err;
  EXPECT_NE(ran.out.find(" PASS"), std::string::npos) << ran.out;
}

TEST(Command, NoTerminalNoProgressAndNoColour) {
  const Ran ran = fixture({});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out.find('\033'), std::string::npos);
  EXPECT_EQ(ran.out.find('\r'), std::string::npos);
}

// What a command writes to a terminal; its stdout and stderr are one.
std::string on_terminal(const std::vector<std::string>& argv, const char* no_color) {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    setenv("NO_COLOR", no_color, 1);
    std::vector<char*> arguments;
    arguments.reserve(argv.size() + 1);
    for (const std::string& one : argv) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(122);
  }
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = read(terminal, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  close(terminal);
  waitpid(pid, nullptr, 0);
  return text;
}

TEST(Command, TerminalGetsProgressAndColourUnlessRefused) {
  const std::vector<std::string> argv = {AOTI_CTS_FIXTURE, "check", "--candidate",
                                         candidate("sane")};
  const std::string colour = on_terminal(argv, "");
  EXPECT_NE(colour.find("[7/7] FIX."), std::string::npos) << colour;
  EXPECT_NE(colour.find("\033[32mPASS"), std::string::npos) << colour;
  const std::string plain = on_terminal(argv, "1");
  EXPECT_NE(plain.find("[7/7] FIX."), std::string::npos) << plain;
  EXPECT_EQ(plain.find("\033[32m"), std::string::npos) << plain;
}

TEST(Command, ListAndExplain) {
  Ran ran = run({AOTI_CTS_FIXTURE, "list", "--json"});
  const Json clauses = Json::parse(ran.out);
  ASSERT_EQ(clauses.size(), 14U);
  EXPECT_EQ(clauses[3]["clause"], "FIX.after");
  EXPECT_EQ(clauses[3]["cases"], Json::array({"cuda", "layout"}));
  ran = run({AOTI_CTS_FIXTURE, "list", "--shims", "--json"});
  EXPECT_GT(Json::parse(ran.out).size(), 150U);
  ran = run({AOTI_CTS_FIXTURE, "explain", "FIX.after"});
  EXPECT_NE(ran.out.find("stands after the clause that candidates break"), std::string::npos);
  ran = run({AOTI_CTS_FIXTURE, "explain", "after"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("FIX.after"), std::string::npos) << ran.err;
}

TEST(Command, BuiltInReferenceIsFoundFromAnywhere) {
  const Ran ran = run({AOTI_CTS_TOOL, "check", "--select", "SYM.loads", "--json", "-"}, "/");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json_of(ran)["prefix"], "executorch_");
  EXPECT_FALSE(json_of(ran)["candidate"][0]["build_id"].is_null());
}

TEST(BuildId, OfRealAndBrokenFiles) {
  const Scratch scratch;
  const std::string id = runner::read_build_id(candidate("sane"));
  EXPECT_EQ(id.size(), 40U) << id;
  EXPECT_EQ(runner::read_build_id("/no/such/file"), "");
  EXPECT_EQ(runner::read_build_id(scratch.path()), "");
  scratch.write("text", "no ELF file");
  EXPECT_EQ(runner::read_build_id(scratch.path("text")), "");
  // Cut anywhere, the file gives its id or none, and never another.
  std::ifstream file(candidate("sane"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t size = 0; size < 1024; size += 7) {
    scratch.write("cut", whole.substr(0, size));
    const std::string have = runner::read_build_id(scratch.path("cut"));
    EXPECT_TRUE(have.empty() || have == id) << size;
  }
  // Any one byte of the headers changed: no crash, no endless read.
  for (std::size_t at = 0; at < 1024; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(0xff);
    scratch.write("damaged", damaged);
    EXPECT_LE(runner::read_build_id(scratch.path("damaged")).size(), 128U);
  }
}

}  // namespace
}  // namespace aoti_cts::tests
