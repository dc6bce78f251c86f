// `aoti-cts check --blob` as a user meets it: inputs that do not go with the model, files that are
// none, and what of it is held against the candidate.
//
//   ctest -R conformance.blobs.command      "100% tests passed"
#include "support/command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "blobs/arrays.h"
#include "blobs/host.h"

namespace aoti_cts::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string one_input = AOTI_CTS_FAULTLESS "_1.so", no_input = AOTI_CTS_FAULTLESS "_0.so";

Ran check(const std::string& model, std::vector<std::string> options = {}) {
  std::vector<std::string> argv = {AOTI_CTS_TOOL, "check", "--blob", model};
  argv.insert(argv.end(), options.begin(), options.end());
  return run(argv);
}

void expect(const Ran& ran, int code, const std::string& text) {
  EXPECT_EQ(ran.code, code) << ran.err << ran.out;
  EXPECT_NE(ran.err.find(text), std::string::npos) << ran.err;
}

std::string copy(const Scratch& scratch, const std::string& name) {
  fs::copy_file(one_input, scratch.path(name));
  return scratch.path(name);
}

TEST(Inputs, AnotherNumberIsAUsageError) {
  expect(check(one_input), 2, "the model takes 1 inputs and none are given: --inputs");
  expect(check(one_input, {"--inputs", "random:1:float32[4];float32[4]"}), 2,
         "--inputs random:1:float32[4];float32[4]: has 2 arrays, and " + one_input + " takes 1");
  expect(check(no_input, {"--inputs", "random:1:float32[4]"}), 2, "has 1 arrays, and");
  // Its symbol table needs none.
  EXPECT_EQ(check(one_input, {"--select", "BLOB.imports-bound"}).code, 0);
}

// No --candidate: the built-in reference, under the prefix that the model imports.
TEST(Reference, IsTheOneThatTheModelBindsTo) {
  const Ran ran = check(one_input, {"--inputs", "random:1:float32[4]", "--select",
                                    "*/given_faultless_1*", "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_TRUE(Json::accept(ran.out)) << ran.out;
  int passed = 0;
  for (const auto& [name, verdict] : verdicts(Json::parse(ran.out))) {
    passed += name.find("/given_faultless_1") != std::string::npos && verdict == "PASS" ? 1 : 0;
  }
  EXPECT_GT(passed, 3) << ran.out;
}

TEST(Files, WhatIsNoneIsNamed) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo(scratch.path("fifo").c_str(), 0600), 0);
  expect(check(scratch.path("fifo")), 2, "a FIFO, not a regular file");
  expect(check(scratch.path()), 2, "a folder, not a regular file");
  expect(check("/dev/zero"), 2, "/dev/zero: file type: a device, not a regular file");
  expect(check(scratch.path("missing.so")), 2, "missing.so: open: No such file or directory");
  expect(check(one_input, {"--inputs", scratch.path("fifo")}), 2, "a FIFO, not a regular file");
  scratch.write("text", "no library");
  expect(check(scratch.path("text")), 2, "neither an ELF library nor a .pt2 package");
  scratch.write("empty", "");
  expect(check(scratch.path("empty")), 2, "neither an ELF library nor a .pt2 package");
}

TEST(Files, AModelForAnotherMachineIsNamed) {
  const Scratch scratch;
  const std::string path = copy(scratch, "model.so");
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(18);  // e_machine
  file.put('\xb7').put('\0');
  file.close();
  expect(check(path), 2, "model.so: is ELF AArch64 (64-bit little-endian), and this machine runs");
}

// As of a model that torch links to libtorch, which it does by default.
TEST(Files, AModelThatLinksTorchSaysHowToMakeOneThatDoesNot) {
  const Ran ran = check(AOTI_CTS_LINKS_TORCH, {"--select", "BLOB.no-leak/given*"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_NE(ran.out.find("the model is linked to libtorch_cpu.so (DT_NEEDED), which is not found"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("\"aot_inductor.link_libtorch\": False"), std::string::npos) << ran.out;
}

/// Zips files of the folder; returns the archive's path.
std::string zip(const Scratch& scratch, const std::string& name,
                const std::vector<std::string>& members) {
  std::vector<std::string> argv = {"/usr/bin/env", "cmake", "-E",          "tar",
                                   "cf",           name,    "--format=zip"};
  argv.insert(argv.end(), members.begin(), members.end());
  const Ran ran = run(argv, scratch.path());
  EXPECT_EQ(ran.code, 0) << ran.err;
  return scratch.path(name);
}

// Not the model's fault.
TEST(Files, ATemporaryFolderThatTakesNothingIsNamed) {
  const Scratch scratch;
  copy(scratch, "model.so");
  const std::string package = zip(scratch, "model.pt2", {"model.so"});
  const Ran refused = run({AOTI_CTS_TOOL, "check", "--blob", package}, "", {{"TMPDIR", "/proc"}});
  expect(refused, 3, "aoti-cts: temporary folder /proc (TMPDIR): ");
  const Scratch small;
  const Ran full = on_small_disk(AOTI_CTS_TOOL, small.path(), "8k", {"check", "--blob", package});
  if (full.code == 77) GTEST_SKIP() << full.err;
  expect(full, 3, "temporary folder " + small.path() + " (TMPDIR): No space left on device for ");
}

/// An .npz of one-element arrays of these names.
std::string npz(const Scratch& scratch, const std::vector<std::string>& names) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
  std::string array = std::string("\x93NUMPY\x01\0", 8);
  array += static_cast<char>(header.size());
  array += '\0' + header + std::string(4, '\0');
  std::vector<std::string> members;
  for (const std::string& name : names) {
    scratch.write(members.emplace_back(name + ".npy"), array);
  }
  return zip(scratch, "arrays.npz", members);
}

std::string read(const std::vector<std::string>& names) {
  const Scratch scratch;
  try {
    std::string read;
    for (const auto& array : blobs::read_npz(npz(scratch, names))) read += " " + array.name;
    return read;
  } catch (const blobs::Error& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
}

TEST(Arrays, AreInTheOrderOfTheirNumbers) {
  EXPECT_EQ(read({"arr_10", "arr_9", "arr_8", "arr_7", "arr_6", "arr_5", "arr_4", "arr_3", "arr_2",
                  "arr_1"}),
            " arr_1 arr_2 arr_3 arr_4 arr_5 arr_6 arr_7 arr_8 arr_9 arr_10");
  EXPECT_EQ(read({"b01", "a00"}), " a00 b01");
  EXPECT_EQ(read({"y", "x1"}), " y x1");
  EXPECT_EQ(read({"mask_64"}), " mask_64");
}

TEST(Arrays, WhoseNumbersLeaveTheOrderOpenAreNamed) {
  EXPECT_EQ(read({"arr_0", "arr_00", "arr_1"}),
            "members arr_0 and arr_00: their names end with the numbers 0 and 0, want each number "
            "once and none left out");
  EXPECT_EQ(read({"arr_2", "arr_0"}),
            "members arr_0 and arr_2: their names end with the numbers 0 and 2, want each number "
            "once and none left out");
  EXPECT_EQ(read({"arr_3", "arr_2"}),
            "member arr_2: the lowest number that a name ends with is 2, want 0 or 1");
  EXPECT_EQ(read({"x", "x.float32"}), "member x: there are two of that name");
  const Scratch scratch;
  expect(check(one_input, {"--inputs", npz(scratch, {"arr_0", "arr_2"})}), 2,
         "arrays.npz: members arr_0 and arr_2: ");
}

// What the tool itself has read of a large model is not the candidate's.
TEST(Memory, TheModelIsNotTheCandidates) {
  const Scratch scratch;
  const std::string path = copy(scratch, "large.so");
  fs::resize_file(path, uint64_t{160} << 20U);
  const Ran ran = check(path, {"--inputs", "random:1:float32[4]", "--memory", "64", "--select",
                               "*/given_large*", "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_TRUE(Json::accept(ran.out)) << ran.out;
  EXPECT_EQ(verdicts(Json::parse(ran.out)).at("SYM.loads/load"), "PASS") << ran.out;
}

// An oracle that breaks its limits or ends is no answer, and no verdict on the candidate.
TEST(Oracle, ItsEndIsTold) {
  const auto says = [](const Ran& ran, const std::string& text) {
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_NE(ran.out.find(text), std::string::npos) << ran.out;
  };
  const std::vector<std::string> options = {"--against", AOTI_CTS_ORACLE, "--memory",
                                            "64",        "--select",      "*/given_faultless*"};
  says(check(no_input, options), "oracle.so: more than 64 MiB of private memory");
  std::vector<std::string> with_input = options;
  with_input.insert(with_input.end(), {"--inputs", "random:1:float32[4]"});
  says(check(one_input, with_input), "oracle.so: signal 6");
}

// Not a SKIP, and "conformant" for want of anything compared.
TEST(Oracle, WhatIsNoLibtorchIsAUsageError) {
  const std::string none = ": no libtorch: no shim was found with the prefix \"\"";
  expect(check(no_input, {"--quiet", "--against", AOTI_CTS_NO_TORCH}), 2,
         "--against " AOTI_CTS_NO_TORCH + none);
  expect(run({AOTI_CTS_TOOL, "check", "--against", AOTI_CTS_NO_TORCH}), 2,
         "--against " AOTI_CTS_NO_TORCH + none);
  const std::string reference = AOTI_CTS_PREFIXED_REFERENCE;
  expect(check(no_input, {"--against", reference}), 2,
         "--against " + reference + none + "; found: ");
}

TEST(Oracle, ShimsThatItLacksAreNamed) {
  expect(check(no_input, {"--quiet", "--against", AOTI_CTS_FEW_SHIMS}), 2,
         "--against " AOTI_CTS_FEW_SHIMS ": lacks ");
}

// Delegates write payloads to files; a runtime that ends them before they are removed leaves none.
TEST(Candidate, NothingIsLeftOfDelegatesThatItEnds) {
  const Scratch temporary;
  const Ran ran = run({AOTI_CTS_TOOL, "check", "--candidate", AOTI_CTS_ORACLE, "--memory", "64",
                       "--profile", "delegate", "--select", "DELEGATE.same-content"},
                      "", {{"TMPDIR", temporary.path()}});
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_EQ(temporary.files(), std::vector<std::string>());
}

/// {"BLOB.runs": "CRASH SIGABRT in a Run of the model", ...}: the case of a misbehaving model in
/// these clauses, and nothing else on standard output than the report.
std::map<std::string, std::string> judged(const std::string& how,
                                          const std::vector<std::string>& clauses, int code) {
  std::vector<std::string> argv = {AOTI_CTS_TOOL, "check", "--blob", AOTI_CTS_MISBEHAVES,
                                   "--timeout",   "1",     "--json", "-"};
  for (const std::string& clause : clauses) {
    argv.insert(argv.end(), {"--select", clause + "/given_misbehaves"});
  }
  const Ran ran = run(argv, "", {{"AOTI_MISBEHAVES", how}});
  EXPECT_EQ(ran.code, code) << ran.err;
  EXPECT_EQ(ran.err.find("noise"), std::string::npos) << ran.err;
  EXPECT_TRUE(Json::accept(ran.out)) << ran.out;
  std::map<std::string, std::string> seen;
  if (!Json::accept(ran.out)) return seen;
  const Json report = Json::parse(ran.out);
  for (const std::string& clause : clauses) {
    const Json row = case_of(report, clause + "/given_misbehaves");
    const Json& detail = row.at("detail");
    seen[clause] = row.at("verdict").get<std::string>() +
                   (detail.is_string() ? " " + detail.get<std::string>() : "");
  }
  return seen;
}

using Lines = std::map<std::string, std::string>;

TEST(Misbehaving, ItsEndIsALineThatSaysWhere) {
  EXPECT_EQ(judged("abort", {"BLOB.no-leak", "BLOB.check-fails"}, 5),
            (Lines{{"BLOB.no-leak", "CRASH SIGABRT in a Run of the model"},
                   {"BLOB.check-fails",
                    "SKIP a Run of the model ends the process before a shim fails"}}));
  EXPECT_EQ(judged("exit", {"BLOB.no-leak", "BLOB.check-fails"}, 5),
            (Lines{{"BLOB.no-leak", "EXIT the process ended with code 0 in a Run of the model"},
                   {"BLOB.check-fails",
                    "SKIP a Run of the model ends the process before a shim fails"}}));
  EXPECT_EQ(judged("crash later", {"BLOB.no-leak"}, 5),
            (Lines{{"BLOB.no-leak", "CRASH SIGSEGV in a Run of the model"}}));
  EXPECT_EQ(judged("exit in create", {"BLOB.no-leak"}, 5),
            (Lines{{"BLOB.no-leak",
                    "EXIT the process ended with code 0 in CreateWithDevice of the model"}}));
  EXPECT_EQ(judged("abort in delete", {"BLOB.no-leak"}, 5),
            (Lines{{"BLOB.no-leak", "CRASH SIGABRT in Delete of the model"}}));
}

// From the first look at its inputs on, the model's parent is never the tool.
TEST(Misbehaving, WhatKillsItsParentDoesNotEndTheTool) {
  const std::string told = judged("kill its parent", {"BLOB.no-leak"}, 5)["BLOB.no-leak"];
  EXPECT_EQ(told.rfind("CRASH SIGKILL ", 0), 0U) << told;
}

TEST(Misbehaving, WhatHangsIsEnded) {
  const auto line = [](const std::string& how) {
    return judged(how, {"BLOB.no-leak"}, 5)["BLOB.no-leak"];
  };
  EXPECT_EQ(line("stop"), "TIMEOUT stopped by SIGSTOP, which nothing ends, in a Run of the model");
  const std::string hangs = line("hang at load");
  EXPECT_EQ(hangs.rfind("TIMEOUT killed at the time limit of 1 s, ", 0), 0U) << hangs;
  EXPECT_NE(hangs.find("in the model as it was loaded"), std::string::npos) << hangs;
}

TEST(Misbehaving, WhatBreaksNoClauseCostsNothing) {
  for (const char* how : {"fork", "close", "print"}) {
    EXPECT_EQ(judged(how, {"BLOB.no-leak", "BLOB.grad-restored"}, 0),
              (Lines{{"BLOB.no-leak", "PASS"}, {"BLOB.grad-restored", "PASS"}}))
        << how;
  }
}

blobs::Array one(const char* type, uint64_t bits) {
  blobs::Array array;
  array.type = blobs::find_element_type(type);
  array.bytes.assign(reinterpret_cast<const char*>(&bits),
                     static_cast<std::size_t>(array.type->size));
  return array;
}

// Within no tolerance of anything else: a mask that came out as 0 is not "close" to minus infinity.
TEST(Outputs, AnInfinityEqualsItselfAlone) {
  struct Row {
    const char* type;
    uint64_t infinity, minus_infinity, number, nan;
  };
  for (const Row& row : {Row{"float16", 0x7c00, 0xfc00, 0x3c00, 0x7e00},
                         Row{"bfloat16", 0x7f80, 0xff80, 0x3f80, 0x7fc0},
                         Row{"float32", 0x7f800000, 0xff800000, 0x3f800000, 0x7fc00000},
                         Row{"float64", 0x7ff0000000000000, 0xfff0000000000000, 0x3ff0000000000000,
                             0x7ff8000000000000}}) {
    SCOPED_TRACE(row.type);
    for (const uint64_t infinity : {row.infinity, row.minus_infinity}) {
      const blobs::Array want = one(row.type, infinity);
      EXPECT_EQ(blobs::first_difference(want, want), "");
      for (const uint64_t other :
           {row.infinity, row.minus_infinity, row.number, row.nan, uint64_t{0}}) {
        if (other == infinity) continue;
        const blobs::Array have = one(row.type, other);
        EXPECT_NE(blobs::first_difference(have, want), "");
        EXPECT_NE(blobs::first_difference(want, have), "");
      }
    }
    EXPECT_EQ(blobs::first_difference(one(row.type, row.nan), one(row.type, row.nan)), "");
  }
}

TEST(Prefix, AnyFits) { EXPECT_EQ(blobs::placeholder().size(), 200u); }

}  // namespace
}  // namespace aoti_cts::tests
