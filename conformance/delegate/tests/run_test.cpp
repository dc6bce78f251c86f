// aoti-cts run on programs of corpus/program/runnable/, which carry fixture models.
//
//   build/dev/conformance/delegate/tests/aoti_cts_delegate_run_test        [  PASSED  ]
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support/command.h"

namespace aoti_cts::tests {
namespace {

/// Builds a program of a recipe and a payload, and runs it.
class Run : public testing::Test {
 protected:
  Ran run(const std::string& recipe, const std::string& payload,
          const std::vector<std::string>& options = {},
          const std::map<std::string, std::string>& environment = {}) {
    return run_recipe(AOTI_CTS_RECIPES "/" + recipe + ".json",
                      AOTI_CTS_PAYLOADS "/" + payload + ".so", options, environment);
  }
  Ran run_recipe(const std::string& recipe, const std::string& payload,
                 const std::vector<std::string>& options = {},
                 const std::map<std::string, std::string>& environment = {}) {
    const std::string file = scratch_.path("program.pte");
    const Ran built = tests::run({AOTI_CTS_CORPUS_TOOL, "program", recipe, payload, file});
    EXPECT_EQ(built.code, 0) << built.err;
    std::vector<std::string> command = {AOTI_CTS_TOOL, "run", file};
    command.insert(command.end(), options.begin(), options.end());
    return tests::run(command, "", environment);
  }

  Scratch scratch_;
};

/// Both modes; the ATen build of the reference needs a libtorch, its stand-in does not.
const std::vector<std::vector<std::string>>& modes() {
  static const std::vector<std::vector<std::string>> both = {{},
                                                             {"--delegate", AOTI_CTS_AS_IF_ATEN}};
  return both;
}

std::vector<std::string> with(std::vector<std::string> options,
                              const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

/// Processes that have a file of this folder mapped.
int have_open(const std::string& folder) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream maps(entry.path() / "maps");
    std::string line;
    bool has = false;
    while (!has && std::getline(maps, line)) has = line.find(folder) != std::string::npos;
    found += has ? 1 : 0;
  }
  return found;
}

/// The same, once those that were killed had the time to go.
int open_from(const std::string& folder) {
  int found = have_open(folder);
  for (int i = 0; found != 0 && i < 500; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    found = have_open(folder);
  }
  return found;
}

TEST_F(Run, PayloadInline) {
  for (const auto& mode : modes()) {
    const Ran ran = run("inline", "doubled", with(mode, {"--inputs", "random:7"}));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out.rfind("output 0: float32[2,3] on cpu: ", 0), 0) << ran.out;
    const Ran again = run("inline", "doubled", with(mode, {"--inputs", "random:7:float32[2,3]"}));
    EXPECT_EQ(again.out, ran.out);
  }
}

TEST_F(Run, PayloadInSegmentAndOutputResized) {
  for (const auto& mode : modes()) {
    const Ran ran = run("segment", "doubled", with(mode, {"--inputs", "random:3:float32[2,3]"}));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out.rfind("output 0: float32[2,3] on cpu: ", 0), 0) << ran.out;
    const Ran more = run("segment", "doubled", with(mode, {"--inputs", "random:3:float32[5,3]"}));
    EXPECT_EQ(more.code, 1);
    EXPECT_NE(more.err.find("input 0 is float32[5,3], the method takes at most float32["),
              std::string::npos)
        << more.err;
  }
}

TEST_F(Run, DtypesHaveNames) {
  const Ran in = run("inline", "doubled", {"--inputs", "random:3:int64[2,3]"});
  EXPECT_EQ(in.code, 1);
  EXPECT_NE(in.err.find("input 0 is int64[2,3], the method takes float32[2,3]\n"),
            std::string::npos)
      << in.err;
  // The same program with an output of 32-bit integers.
  std::ifstream file(AOTI_CTS_RECIPES "/inline.json");
  std::string recipe(std::istreambuf_iterator<char>(file), {});
  recipe.replace(recipe.rfind("\"FLOAT\""), 7, "\"INT\"");
  scratch_.write("int.json", recipe);
  const Ran out = run_recipe(scratch_.path("int.json"), AOTI_CTS_PAYLOADS "/doubled.so");
  EXPECT_EQ(out.code, 1);
  EXPECT_NE(out.err.find("output 0 is float32, the program planned int32\n"), std::string::npos)
      << out.err;
}

TEST_F(Run, EqualPayloadsAreTwoDelegates) {
  for (const auto& mode : modes()) {
    const Ran ran = run("two-delegates", "counter", mode);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "output 0: int64[1] on cpu: 2\noutput 1: int64[1] on cpu: 1\n");
  }
}

TEST_F(Run, InputOnADevice) {
#ifndef AOTI_CTS_CUDA_REFERENCE
  GTEST_SKIP() << "no CUDA toolkit: there is no reference for CUDA in this build";
#endif
  for (const auto& mode : modes()) {
    const Ran ran = run("device", "input_places", with(mode, {"--virtual-cuda"}));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out.rfind("output 0: int64[2,3] on cpu: 1 1 ", 0), 0) << ran.out;
    const Ran passed =
        run("device-output", "passes_on", with(mode, {"--virtual-cuda", "--inputs", "random:5"}));
    EXPECT_EQ(passed.code, 0) << passed.err;
    EXPECT_EQ(passed.out.rfind("output 0: float32[2,3] on cuda:0: ", 0), 0) << passed.out;
  }
}

TEST_F(Run, HostCodeOnDeviceMemoryIsFound) {
#ifndef AOTI_CTS_CUDA_REFERENCE
  GTEST_SKIP() << "no CUDA toolkit: there is no reference for CUDA in this build";
#endif
  const Ran ran = run("device-output", "doubled", {"--virtual-cuda"});
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_NE(ran.err, "");
}

TEST_F(Run, DeviceWithoutOneIsAnError) {
  const Ran ran = run("device", "input_places");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("on cuda:1 returned"), std::string::npos) << ran.err;
}

TEST_F(Run, CrashIsALine) {
  const Ran ran = run("inline", "crashes");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("the program crashed: SIGSEGV"), std::string::npos) << ran.err;
}

// However the model ends: no file, and no process that could make one.
TEST_F(Run, NothingIsLeftOfAModelThatEnds) {
  const std::map<std::string, std::string> ends = {{"", "crashed: SIGSEGV"},
                                                   {"abort", "crashed: SIGABRT"},
                                                   {"exit", "ended its process with code 0"},
                                                   {"hang", "did not finish in 0.5 s"},
                                                   {"kill itself", "crashed: SIGKILL"},
                                                   {"kill its parent", "crashed: SIGKILL"},
                                                   {"stop its parent", "did not finish in 0.5 s"},
                                                   {"leave a process", "crashed: SIGABRT"}};
  for (const auto& [how, said] : ends) {
    SCOPED_TRACE(how);
    const Scratch temporary;
    const bool waits = said.find("not finish") != std::string::npos;
    const Ran ran = run("inline", "crashes", {"--timeout", waits ? "0.5" : "60"},
                        {{"TMPDIR", temporary.path()}, {"AOTI_CRASHES", how}});
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_NE(ran.err.find("the program " + said), std::string::npos) << ran.err;
    EXPECT_EQ(temporary.files(), std::vector<std::string>());
    EXPECT_EQ(open_from(temporary.path()), 0) << "processes that hold its files";
  }
}

TEST_F(Run, NothingIsLeftWhereTheToolIsInterrupted) {
  run("inline", "crashes");
  const Scratch temporary;
  // Once the payload's file is there, it is being run, or as good as.
  const std::string script = R"(
    "$0" run "$1" & tool=$!
    for try in $(seq 500); do
      ls "$TMPDIR"/*.so "$TMPDIR"/*/*.so 2>/dev/null | grep -q . && break
      sleep 0.02
    done
    kill -TERM $tool; wait $tool)";
  const Ran ran = tests::run({"/bin/sh", "-c", script, AOTI_CTS_TOOL, scratch_.path("program.pte")},
                             "", {{"TMPDIR", temporary.path()}, {"AOTI_CRASHES", "hang"}});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_NE(ran.err.find("program.pte: interrupted by SIGTERM"), std::string::npos) << ran.err;
  EXPECT_EQ(temporary.files(), std::vector<std::string>());
}

TEST_F(Run, WhatIsNoModelIsALine) {
  const Ran ran = run("inline", "not_a_library");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("init() returned 1: "), std::string::npos) << ran.err;
}

// A payload that was cut short ends no process: SIGBUS says nothing to anybody.
TEST_F(Run, PayloadThatWasCutShortIsALine) {
  std::filesystem::copy_file(AOTI_CTS_PAYLOADS "/doubled.so", scratch_.path("cut.so"));
  std::filesystem::resize_file(scratch_.path("cut.so"), 8192);
  const Ran ran = run_recipe(AOTI_CTS_RECIPES "/inline.json", scratch_.path("cut.so"));
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_NE(ran.err.find("program.pte: delegate 0: init() returned 1: "), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find(".so: 8192 bytes, cut short: segment "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(" (PT_LOAD) has p_filesz "), std::string::npos) << ran.err;
}

TEST_F(Run, ModelThatLinksTorchSaysHowToMakeOneThatDoesNot) {
  const Ran ran = run("inline", "links_torch");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("the model is linked to libtorch_cpu.so (DT_NEEDED), which is not found"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("\"aot_inductor.link_libtorch\": False"), std::string::npos) << ran.err;
}

// Where there is no room for a payload it is not the program's fault.
TEST_F(Run, TemporaryFolderThatTakesNothingIsNamed) {
  const Ran ran = run("inline", "doubled", {}, {{"TMPDIR", "/proc/self"}});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_NE(ran.err.find("aoti-cts: temporary folder /proc/self (TMPDIR): "), std::string::npos)
      << ran.err;
}

TEST_F(Run, FullTemporaryFolderIsNamed) {
  const Ran built = run("inline", "doubled");
  ASSERT_EQ(built.code, 0) << built.err;
  const Scratch temporary;
  const Ran full =
      on_small_disk(AOTI_CTS_TOOL, temporary.path(), "8k", {"run", scratch_.path("program.pte")});
  if (full.code == 77) GTEST_SKIP() << full.err;
  EXPECT_EQ(full.code, 3) << full.err;
  EXPECT_NE(full.err.find("temporary folder " + temporary.path() + " (TMPDIR): no room: "),
            std::string::npos)
      << full.err;
}

TEST_F(Run, WrongNumberOfArguments) {
  const Ran ran = run("inline", "input_places");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("the model has 2 inputs and 1 outputs, given are 2 arguments"),
            std::string::npos)
      << ran.err;
}

TEST_F(Run, ProgramThatIsNone) {
  scratch_.write("none.pte", "ET12");
  const Ran ran = tests::run({AOTI_CTS_TOOL, "run", scratch_.path("none.pte")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("PARSE.header"), std::string::npos) << ran.err;
}

TEST_F(Run, PluginThatIsNone) {
  const std::string library = AOTI_CTS_PAYLOADS "/crashes.so";
  for (const char* const verb : {"check", "run"}) {
    scratch_.write("none.pte", "ET12");
    std::vector<std::string> command = {AOTI_CTS_TOOL, verb, "--delegate", library};
    if (command[1] == "run") command.push_back(scratch_.path("none.pte"));
    const Ran ran = tests::run(command);
    EXPECT_EQ(ran.code, 2) << verb;
    EXPECT_NE(ran.err.find("exports no aoti_cts_delegate()"), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace aoti_cts::tests
