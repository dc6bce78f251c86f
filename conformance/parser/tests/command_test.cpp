// `aoti-cts parse` and `check --parser` on what they must survive: files that are no programs,
// plug-ins that break the interface, bad options.
//
//   ctest -R conformance.parser.command      "100% tests passed"
#include "support/command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aoti_cts::tests {
namespace {

using Json = nlohmann::json;

/// A file of the corpus's smallest kind: identifier and nothing behind it.
void write_stump(const Scratch& scratch) {
  scratch.write("stump.pte", std::string("\x08\0\0\0ET12", 8));
}

Ran parse(const std::string& file, std::vector<std::string> options = {}) {
  std::vector<std::string> argv = {AOTI_CTS_TOOL, "parse", file};
  argv.insert(argv.end(), options.begin(), options.end());
  return run(argv);
}

void expect(const Ran& ran, int code, const std::string& text) {
  EXPECT_EQ(ran.code, code) << ran.err;
  EXPECT_NE(ran.err.find(text), std::string::npos) << ran.err;
}

TEST(Parse, WhatIsNoFile) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo(scratch.path("fifo").c_str(), 0600), 0);
  ASSERT_EQ(symlink("loop", scratch.path("loop").c_str()), 0);
  for (const char* name : {"fifo", "loop", "missing", ""}) {
    expect(parse(scratch.path(name)), 2, "FILE " + scratch.path(name) + ": ");
  }
}

TEST(Parse, WhatIsNoProgram) {
  const Scratch scratch;
  write_stump(scratch);
  scratch.write("empty", "");
  scratch.write("text", "a text that is longer than any header would be");
  expect(parse(scratch.path("empty")), 1, "file: 0 must be at least 8 bytes");
  expect(parse(scratch.path("stump.pte")), 1, "PARSE.header, InvalidProgram 0x23]");
  expect(parse(scratch.path("text")), 1, "identifier: \"xt t\" must be \"ET12\"");
}

// Mapped, not read: neither time nor memory for what no table is on.
TEST(Parse, HugeFile) {
  const Scratch scratch;
  write_stump(scratch);
  ASSERT_EQ(truncate(scratch.path("stump.pte").c_str(), off_t{1} << 32), 0);
  expect(parse(scratch.path("stump.pte")), 1, "limit `program_bytes` of 2147483646");
  expect(parse(scratch.path("stump.pte"), {"--parser", AOTI_CTS_ROGUE_PARSER}), 2,
         "4294967296 bytes, and --parser is given at most 1073741824");
}

TEST(Parse, BadOptionsAreNamed) {
  const Scratch scratch;
  write_stump(scratch);
  const std::string file = scratch.path("stump.pte");
  expect(parse(file, {"--mode", "lean"}), 2, "--mode: lean not in {portable,aten}");
  expect(parse(file, {"--timeout", "-1"}), 2, "--timeout: Value -1");
  expect(parse(file, {"--timeout", "nan"}), 2, "--timeout: is no number");
  expect(parse(file, {"--parser", ""}), 2, "--parser: a file's name, not ''");
  expect(parse(file, {"--nope"}), 2, "--nope");
  expect(parse(file, {"--parser", scratch.path("missing.so")}), 2, "--parser " + scratch.path());
  expect(parse(file, {"--parser", scratch.path()}), 2, "not a regular file");
}

// What would not be judged is said, and --mode alone asks for the reference in that mode.
TEST(Check, ModeAsksForTheParser) {
  const std::vector<std::string> check = {AOTI_CTS_TOOL, "check", "--mode", "portable"};
  std::vector<std::string> core = check;
  core.insert(core.end(), {"--profile", "core"});
  expect(run(core), 2, "--mode needs profile parse");
  std::vector<std::string> one = check;
  one.insert(one.end(), {"--select", "PARSE.device-type/device_type_7", "--json", "-"});
  const Ran ran = run(one);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(verdicts(Json::parse(ran.out)).at("PARSE.device-type/device_type_7"), "PASS");
  expect(run({AOTI_CTS_TOOL, "check", "--parser", ""}), 2, "--parser: a file's name, not ''");
  expect(run({AOTI_CTS_TOOL, "check", "--json", ""}), 2, "--json: a file's name, not ''");
  expect(run({AOTI_CTS_TOOL, "devmap", "--python", "python3"}), 2,
         "--python goes with --devmap torch");
}

// A text that a person writes is read whole, so it has a limit.
TEST(Check, HugeTextsAreRefused) {
  const Scratch scratch;
  for (const char* name : {"waivers.toml", "record.json"}) {
    scratch.write(name, "");
    ASSERT_EQ(truncate(scratch.path(name).c_str(), off_t{1} << 40), 0);
  }
  expect(run({AOTI_CTS_TOOL, "check", "--waivers", scratch.path("waivers.toml")}), 2,
         "more than 16777216 bytes");
  expect(run({AOTI_CTS_TOOL, "devmap", "--devmap", scratch.path("record.json")}), 2,
         "more than 16777216 bytes");
}

struct Row {
  const char* fault;
  int code;             ///< of `aoti-cts parse`
  const char* text;     ///< in what it says on standard error
  const char* verdict;  ///< of a case of `aoti-cts check`; empty: that judges no such plug-in
};

const Row rows[] = {
    {"crash", 3, "crashed: SIGABRT", "CRASH"},
    {"exit", 3, "ended its process with code 0", "EXIT"},
    {"hang", 3, "did not finish in 0.5 s", "TIMEOUT"},
    {"print", 0, "not", "FAIL"},
    {"no_program", 3, "parse() returned 0 and no program", "FAIL"},
    {"reads_behind", 3, "crashed: SIGSEGV", "CRASH"},
    {"reads_1_behind", 3, "crashed: SIGSEGV", "CRASH"},
    {"minds_1_behind", 1, "error 0x10", "FAIL"},
    {"writes_file", 3, "crashed: SIGSEGV", "CRASH"},
    {"touches_device", 3, "crashed: SIGSEGV", "CRASH"},
    {"message_without_end", 1, "error 0x23: xxx", "PASS"},
    {"code_in_error", 1, "error 0x23", "PASS"},
    {"code_returned", 1, "error 0x23", "PASS"},
    {"many_tensors", 3, "tensors() says 18446744073709551615, of a file of 8 bytes", "FAIL"},
    {"no_tensor", 3, "tensor(0) of 1: error 0x5", "FAIL"},
    {"huge_rank", 3, "tensor(0) of 1: rank 4294967295, more than 65536", "FAIL"},
    {"wild_sizes", 3, "crashed: SIGSEGV", "CRASH"},
    {"no_strides", 3, "tensor(0) of 1: rank 1 and no strides", "FAIL"},
    {"crash_in_free", 3, "crashed: SIGABRT", "CRASH"},
    {"longer_table", 0, "", "FAIL"},
    {"older_table", 0, "", "FAIL"},
    {"null_table", 2, "aoti_cts_parser() returned null", ""},
    {"version_2", 2, "version 2 of the interface, where 1 is needed", ""},
    {"short_table", 2, "struct_size 8 of its AotiCtsParser", ""},
    {"alignment_3", 2, "alignment 3 of its AotiCtsParser", ""},
    {"alignment_32", 2, "alignment 32 of its AotiCtsParser", ""},
    {"no_mode", 2, "has no portable mode", ""},
    {"no_parse", 2, "its AotiCtsParser has no parse()", ""},
    {"no_free", 2, "its AotiCtsParser has no free()", ""},
};

// The table is printed as that of the reference is; JSON where it is asked for.
TEST(Parse, APluginsTensorsAreATable) {
  const Scratch scratch;
  write_stump(scratch);
  const std::string file = scratch.path("stump.pte");
  const std::map<std::string, std::string> one = {{"AOTI_CTS_ROGUE", "older_table"}};
  const Ran table = run({AOTI_CTS_TOOL, "parse", file, "--parser", AOTI_CTS_ROGUE_PARSER}, "", one);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_FALSE(Json::accept(table.out)) << table.out;
}

/// What `aoti-cts check` says of the plug-in with one fault, on some cases.
Ran check(const std::string& fault, const std::string& select,
          const std::vector<std::string>& options = {}) {
  std::vector<std::string> argv = {AOTI_CTS_TOOL, "check", "--parser", AOTI_CTS_ROGUE_PARSER,
                                   "--json",      "-",     "--select", select};
  argv.insert(argv.end(), options.begin(), options.end());
  return run(argv, "", {{"AOTI_CTS_ROGUE", fault}, {"ASAN_OPTIONS", "handle_segv=0"}});
}

constexpr const char* sweep = "PARSE.device-type/sweep_device_type";

struct Sweep {
  const char* fault;
  const char* verdict;
  const char* how;   ///< in the case's text
  const char* kind;  ///< in the notes
};

// A vector of a sweep that ends the process is what its case is, and the sweep goes on behind it,
// up to a number of them that the notes tell.
TEST(Check, WhatEndsASweepsProcessCounts) {
  for (const auto& [fault, verdict, how, kind] :
       {Sweep{"crash", "CRASH", "SIGABRT", "crash"},
        Sweep{"exit", "EXIT", "the process ended with code 0", "exit"},
        Sweep{"exit_with_handlers", "EXIT", "the process ended with code 3", "exit"}}) {
    const Ran ran = check(fault, sweep);
    EXPECT_EQ(ran.code, 5) << ran.err;
    const Json report = Json::parse(ran.out);
    EXPECT_EQ(verdicts(report).at(sweep), verdict);
    EXPECT_EQ(case_of(report, sweep)
                  .at("detail")
                  .get<std::string>()
                  .rfind(std::string(how) + " in parse() of vector sweep-device-type/0x00 (", 0),
              0u)
        << case_of(report, sweep);
    std::vector<std::string> notes;
    for (const Json& note : report.at("notes")) {
      const auto text = note.get<std::string>();
      if (text.rfind("PARSE.device-type: ", 0) == 0) notes.push_back(text);
    }
    ASSERT_EQ(notes.size(), 2u) << report.at("notes");
    EXPECT_EQ(notes[0].find("PARSE.device-type: " + std::string(kind) + ", 32 vectors"), 0u)
        << notes[0];
    EXPECT_EQ(notes[1].find("PARSE.device-type: 224 vectors not tried"), 0u) << notes[1];
  }
}

// A sweep parses in children of its case's process, and a plug-in may start some too.
TEST(Check, MemoryOfChildrenCounts) {
  for (const char* fault : {"eats_memory", "child_eats_memory"}) {
    for (const char* one : {sweep, "PARSE.header/file_of_7_bytes"}) {
      const Ran ran = check(fault, one, {"--memory", "64"});
      EXPECT_EQ(ran.code, 5) << ran.err;
      const Json row = case_of(Json::parse(ran.out), one);
      EXPECT_EQ(row.at("verdict"), "OOM") << fault << row;
      const auto text = row.at("detail").get<std::string>();
      EXPECT_NE(text.find("(limit 64 MiB), in parse() of vector "), std::string::npos) << text;
    }
  }
}

// The time limit is for each vector, however many a sweep has.
TEST(Check, ASlowSweepIsNoTimeout) {
  const Ran slow = check("slow", sweep, {"--timeout", "0.5"});
  EXPECT_EQ(verdicts(Json::parse(slow.out)).at(sweep), "FAIL") << slow.out;
  const Ran hang = check("hang", sweep, {"--timeout", "0.5"});
  EXPECT_EQ(verdicts(Json::parse(hang.out)).at(sweep), "TIMEOUT") << hang.out;
}

// None of the answers that a MAY clause allows.
TEST(Check, WhatEndsAMayClausesProcessCounts) {
  const std::string gaps = "PARSE.dtype-gaps/scalar_type_gap_8";
  for (const auto& [fault, verdict] : std::map<std::string, std::string>{
           {"crash", "CRASH"}, {"exit", "EXIT"}, {"hang", "TIMEOUT"}, {"", "INFO"}}) {
    const Ran ran = check(fault, gaps, {"--timeout", "0.5"});
    EXPECT_EQ(ran.code, verdict == "INFO" ? 0 : 5) << ran.err;
    EXPECT_EQ(verdicts(Json::parse(ran.out)).at(gaps), verdict) << ran.out;
  }
}

// The words are of the function that was called, not of parse() throughout.
TEST(Check, SaysWhichFunctionItWasIn) {
  const std::string one = "PARSE.header/file_of_7_bytes";
  const Ran ran = check("crash_in_free", one);
  EXPECT_EQ(case_of(Json::parse(ran.out), one).at("detail"),
            "SIGABRT in free() of vector file-of-7-bytes (7 bytes)");
}

class Rogue : public ::testing::TestWithParam<Row> {};

TEST_P(Rogue, IsSaidToBe) {
  const Row& row = GetParam();
  const Scratch scratch;
  write_stump(scratch);
  // A tool built for AddressSanitizer lets a segmentation fault be one.
  const std::map<std::string, std::string> fault = {{"AOTI_CTS_ROGUE", row.fault},
                                                    {"ASAN_OPTIONS", "handle_segv=0"}};
  const Ran parsed = run({AOTI_CTS_TOOL, "parse", scratch.path("stump.pte"), "--json", "--parser",
                          AOTI_CTS_ROGUE_PARSER, "--timeout", "0.5"},
                         "", fault);
  expect(parsed, row.code, row.text);
  EXPECT_EQ(Json::accept(parsed.out), row.code < 2) << parsed.out;
  const Ran checked = run({AOTI_CTS_TOOL, "check", "--parser", AOTI_CTS_ROGUE_PARSER, "--json", "-",
                           "--timeout", "0.5", "--select", "PARSE.header/file_of_7_bytes"},
                          "", fault);
  if (*row.verdict == '\0') return expect(checked, 2, row.text);
  EXPECT_EQ(verdicts(Json::parse(checked.out)).at("PARSE.header/file_of_7_bytes"), row.verdict)
      << checked.out;
}

INSTANTIATE_TEST_SUITE_P(, Rogue, ::testing::ValuesIn(rows),
                         [](const auto& row) { return std::string(row.param.fault); });

}  // namespace
}  // namespace aoti_cts::tests
