// `aoti-cts symbols` as a user meets it: exit codes, what it searches, what it writes.
//
//   build/dev/conformance/symbols/aoti_cts_symbols_command_test
//
// Success: every test PASSED, but that on libtorch's size, which is SKIPPED where torch cannot be
// fetched.
#include "symbols/command.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "support/schema.h"
#include "symbols/elf.h"

namespace aoti_cts::symbols {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kZoo = AOTI_CTS_ZOO;
const std::string kMutants = AOTI_CTS_MUTANT_LIBRARIES;
const std::string kGood = kMutants + "/none-candidate.so";
const std::string kGoodOptions = " --prefix executorch_ --allow allowed_one";

struct Told {  // NOLINT(bugprone-exception-escape): nlohmann::json's move asserts
  int exit_code = -1;
  std::string output;
  Json json;  ///< null where no report was written
};

// Runs the command with --json; `before` goes in front of it, for environment variables.
Told tell(const std::string& arguments, const std::string& before = "") {
  const ScratchFolder scratch;
  const std::string report = scratch.file("report.json");
  const Ran ran = run_shell(fmt::format("{} {} symbols --json {} {}; echo exit=$?", before,
                                        shell_word(AOTI_CTS_TOOL), shell_word(report), arguments));
  Told told;
  const size_t at = ran.output.rfind("exit=");
  told.exit_code = std::stoi(ran.output.substr(at + 5));
  told.output = ran.output.substr(0, at);
  std::ifstream file(report);
  if (file) told.json = Json::parse(file);
  return told;
}

// Where the tables of a 64-bit library of GNU ld lie that maps them where it has them.
struct ElfPlaces {
  explicit ElfPlaces(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto get = [&](size_t at, size_t width) {
      uint64_t value = 0;
      std::memcpy(&value, bytes.data() + at, width);
      return static_cast<size_t>(value);
    };
    size_t dynamic = 0, hash = 0;
    for (size_t i = 0; i < get(0x38, 2); ++i) {
      const size_t segment = get(0x20, 8) + 56 * i;
      if (get(segment, 4) == 2) dynamic = get(segment + 8, 8);
    }
    for (; get(dynamic, 8) != 0; dynamic += 16) {
      const size_t tag = get(dynamic, 8), value = get(dynamic + 8, 8);
      if (tag == 0x6ffffef5) hash = value;
      if (tag == 5) strings = value;
      if (tag == 6) symbols = value;
    }
    bloom = hash + 16;
    buckets = bloom + 8 * get(hash + 8, 4);
    bucket_bytes = 4 * get(hash, 4);
  }
  size_t strings = 0, symbols = 0, bloom = 0, buckets = 0, bucket_bytes = 0;
};

std::string verdict(const Json& json, const std::string& clause) {
  for (const auto& result : json["results"]) {
    if (result["clause"] == clause) return result["verdict"];
  }
  return "not judged";
}

TEST(ExitCode, ZeroWhereAllHolds) {
  const Told told = tell(kGood + kGoodOptions);
  EXPECT_EQ(told.exit_code, 0) << told.output;
}

TEST(ExitCode, OneWhereAMustFails) {
  EXPECT_EQ(tell(kMutants + "/prefixed-candidate.so" + kGoodOptions).exit_code, 1);
}

TEST(ExitCode, ShouldCountsUnderStrictAlone) {
  const std::string library = kMutants + "/no_extra-candidate.so --prefix executorch_";
  EXPECT_EQ(tell(library).exit_code, 0);
  EXPECT_EQ(tell(library + " --strict").exit_code, 1);
}

TEST(ExitCode, FourWhereNothingIsJudged) {
  EXPECT_EQ(tell(kGood + kGoodOptions + " --select SYM.disjoint").exit_code, 4);
  EXPECT_EQ(tell(kGood + kGoodOptions + " --select NO.such").exit_code, 4);
}

TEST(ExitCode, TwoForWhatCannotBeRead) {
  const ScratchFolder scratch;
  const std::string damaged = scratch.file("damaged.so");
  fs::copy_file(kZoo + "/bindings-gnu.so", damaged);
  fs::resize_file(damaged, 3000);
  const Told told = tell(damaged);
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_NE(told.output.find("damaged.so: p_offset of PT_LOAD"), std::string::npos) << told.output;
  EXPECT_EQ(tell(scratch.write("text.so", "no library")).exit_code, 2);
  EXPECT_EQ(tell(scratch.file("missing.so")).exit_code, 2);
  EXPECT_EQ(tell(kGood + " --mode slim").exit_code, 2);
  EXPECT_EQ(tell(kGood + " --profile nothing").exit_code, 2);
  EXPECT_EQ(tell(kGood + " --baseline " + scratch.write("b.json", "{}")).exit_code, 2);
}

// One code whatever is damaged: what is read when the file is opened, or in a clause that needs it.
TEST(ExitCode, TwoForADamagedTableInEachPlace) {
  const ScratchFolder scratch;
  const std::string damaged = scratch.file("damaged.so");
  const ElfPlaces places(kZoo + "/many-gnu.so");
  for (const auto& [what, offset, size] : {std::tuple{"bloom", places.bloom, size_t{64}},
                                           {"buckets", places.buckets, places.bucket_bytes},
                                           {"strings", places.strings + 1, size_t{4096}},
                                           {"symbols", places.symbols + 24 * 10, size_t{2400}}}) {
    fs::copy_file(kZoo + "/many-gnu.so", damaged, fs::copy_options::overwrite_existing);
    std::fstream file(damaged, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file << std::string(size, '\0');
    file.close();
    for (const char* form : {"{1}", "{0} --against {1}", "{0} --blob {1}"}) {
      const Told told = tell(fmt::format(fmt::runtime(form), kGood, damaged));
      EXPECT_EQ(told.exit_code, 2) << what << ", " << form << "\n" << told.output;
      EXPECT_NE(told.output.find("damaged.so: "), std::string::npos) << told.output;
    }
    const Ran checked = run_shell(
        fmt::format("{} check --blob {}; echo exit=$?", shell_word(AOTI_CTS_TOOL), damaged));
    EXPECT_NE(checked.output.find("exit=2"), std::string::npos) << what << checked.output;
  }
}

TEST(ExitCode, TwoForValuesThatMeanNothing) {
  EXPECT_EQ(tell(kGood + " --prefix 'a b'").exit_code, 2);
  EXPECT_EQ(tell(kGood + " --link-cmake ':'").exit_code, 2);
  EXPECT_EQ(tell(kGood + " --baseline ''").exit_code, 2);
  EXPECT_EQ(tell(kGood + " --baseline /dev/zero").exit_code, 2);
  EXPECT_EQ(tell("/dev/zero").exit_code, 2);
}

TEST(Safety, NoReportGoesOverAnInput) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.file("lib"));
  const std::string library = scratch.file("lib/good.so");
  fs::copy_file(kGood, library);
  fs::create_symlink(library, scratch.file("link.so"));
  fs::create_hard_link(library, scratch.file("hard.so"));
  const std::string tool = shell_word(AOTI_CTS_TOOL) + " symbols ";
  // {0} is a library, {1} a folder that holds it in lib/, {2} another.
  for (const char* form :
       {"{0} --json {0}", "{0} --sarif {1}/link.so", "{0} --junit {1}/hard.so",
        "{0} --save-baseline {0}", "{2} --against {0} --json {0}", "{2} --blob {0} --json {0}",
        "{1}/lib --json {0}", "{0} --json {1}/r --sarif {1}/lib/../r"}) {
    const std::string arguments = fmt::format(fmt::runtime(form), library, scratch.path(), kGood);
    const Ran ran = run_shell(tool + arguments + "; echo exit=$?");
    EXPECT_NE(ran.output.find("exit=2"), std::string::npos) << arguments << "\n" << ran.output;
    EXPECT_EQ(fs::file_size(library), fs::file_size(kGood)) << arguments;
  }
  const std::string baseline = scratch.file("baseline.json");
  EXPECT_EQ(tell(kGood + kGoodOptions + " --save-baseline " + baseline).exit_code, 0);
  EXPECT_EQ(tell(kGood + kGoodOptions + " --baseline " + baseline + " --save-baseline " + baseline)
                .exit_code,
            2);
}

TEST(Report, FollowsTheSchemaAndNamesEachParticular) {
  const Told told =
      tell(kMutants + "/no_collision_unique-candidate.so --prefix executorch_ " +
           "--allow _ZN6Shared5valueE --against " + kMutants + "/no_collision_unique-libtorch.so");
  std::ifstream schema(AOTI_CTS_SCHEMA);
  EXPECT_EQ(tests::violation(Json::parse(schema), told.json), "");
  const Json& symbols = told.json["symbols"];
  ASSERT_EQ(symbols["found"].size(), 1u) << symbols;
  const Json& found = symbols["found"][0];
  EXPECT_EQ(found["demangled"], "Shared::value");
  EXPECT_EQ(found["group"], "other");
  EXPECT_EQ(found["binding"], "UNIQUE");
  ASSERT_EQ(found["findings"].size(), 1u) << found;
  const Json& finding = found["findings"][0];
  EXPECT_EQ(finding["clause"], "SYM.no-collision");
  EXPECT_EQ(finding["other"]["binding"], "UNIQUE");
  EXPECT_EQ(finding["other"]["type"], "OBJECT");
  const auto path = [&](const Json& place) {
    return symbols["libraries"].at(place.get<size_t>()).get<std::string>();
  };
  EXPECT_EQ(path(found["library"]), kMutants + "/no_collision_unique-candidate.so");
  EXPECT_EQ(path(finding["other"]["library"]), kMutants + "/no_collision_unique-libtorch.so");
  const std::string suggestions = told.json["symbols"]["suggestions"].dump();
  EXPECT_NE(suggestions.find("-fno-gnu-unique"), std::string::npos) << suggestions;
  EXPECT_NE(suggestions.find("--version-script"), std::string::npos) << suggestions;
}

TEST(Report, VersionNodesAreTold) {
  const Told told = tell(kZoo + "/versioned.so --select SYM.no-collision --against " + kZoo +
                         "/versioned-lld.so");
  std::string versions;
  for (const auto& found : told.json["symbols"]["found"]) {
    versions += fmt::format("{}@{} ", found["symbol"].get<std::string>(),
                            found["findings"][0]["other"]["version"].get<std::string>());
  }
  EXPECT_NE(versions.find("grown@ZOO_3 "), std::string::npos) << versions;
}

// Both say all, however many; the report on the terminal says how many more there are.
TEST(Report, JsonAndVerboseLeaveNothingOut) {
  const std::string all = " --select SYM.complete --prefix nobody_";
  const Told told = tell(kGood + all);
  const Json& row = told.json["results"][0]["cases"][0];
  EXPECT_GT(row["failure_count"], 20);
  EXPECT_EQ(row["failures"].size(), row["failure_count"].get<size_t>());
  const std::string last = row["failures"].back()["what"];
  EXPECT_EQ(told.output.find(last), std::string::npos) << told.output;
  const auto more = row["failure_count"].get<size_t>() - 20;
  EXPECT_NE(told.output.find(fmt::format("and {} more", more)), std::string::npos) << told.output;
  const Told verbose = tell(kGood + all + " --verbose");
  EXPECT_NE(verbose.output.find(last), std::string::npos) << verbose.output;
}

// The order of a symbol table changes with each link; that of a report does not.
TEST(Report, IsInTheOrderOfNames) {
  const ScratchFolder scratch;
  std::vector<std::vector<std::string>> orders;
  std::vector<std::string> texts;
  for (const char* order : {"forward", "back"}) {
    fs::create_directory(scratch.file(order));
    std::string source;
    for (int i = 0; i < 60; ++i) {
      source += fmt::format("int _Z5name{}v = 1;\n", order[0] == 'f' ? 10 + i : 69 - i);
    }
    scratch.write("extra.c", source);
    const std::string library = scratch.file(order) + "/extra.so";
    // DT_HASH alone: GNU ld sorts by the buckets of the other table.
    const Ran ran = run_shell("cc -shared -nostdlib -Wl,--hash-style=sysv -Wl,-soname,extra.so " +
                              scratch.file("extra.c") + " -o " + library);
    ASSERT_TRUE(ran.ok) << ran.output;
    const Told told = tell("extra.so --select SYM.no-extra --strict",
                           "cd " + shell_word(scratch.file(order)) + " &&");
    const Json& row = told.json["results"][0]["cases"][0];
    EXPECT_EQ(row["failure_count"], 60);
    std::vector<std::string>& names = orders.emplace_back();
    for (const Json& found : told.json["symbols"]["found"]) names.push_back(found["symbol"]);
    EXPECT_EQ(names.size(), 60u);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end())) << told.json["symbols"]["found"];
    texts.push_back(row["failures"].dump());
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_EQ(texts[0], texts[1]);
}

// One symbol, two clauses: listed once. What a library shares with itself is no collision.
TEST(Report, ASymbolIsListedOnce) {
  const std::string library = kMutants + "/no_collision_unique-candidate.so";
  const std::string other = kMutants + "/no_collision_unique-libtorch.so";
  const Told told = tell(library + " --prefix executorch_ --against " + other);
  size_t findings = 0;
  std::set<std::string> names;
  for (const Json& found : told.json["symbols"]["found"]) {
    findings += found["findings"].size();
    EXPECT_TRUE(names.insert(found["symbol"]).second) << found;
  }
  EXPECT_GT(findings, names.size()) << told.json["symbols"];
  const Told itself = tell(library + " --prefix executorch_ --against " + library);
  EXPECT_EQ(verdict(itself.json, "SYM.no-collision"), "SKIP") << itself.output;
  EXPECT_EQ(verdict(itself.json, "SYM.disjoint"), "SKIP") << itself.output;
}

// A line that begins with "::" is a command to some CI systems, an escape one to terminals.
TEST(Report, NoNameBeginsALineOfItsOwn) {
  const ScratchFolder scratch;
  scratch.write("names.c", "void newline(void) {}\nvoid escape(void) {}\n");
  const std::string library = scratch.file("names.so");
  const Ran built = run_shell(fmt::format(
      "cd {} && gcc -fPIC -c names.c && objcopy --redefine-sym newline=\"$(printf "
      "'x\\n::error::y')\" --redefine-sym escape=\"$(printf '\\033[31mred')\" names.o && "
      "gcc -shared names.o -o names.so",
      shell_word(scratch.path())));
  ASSERT_TRUE(built.ok) << built.output;
  const Told told = tell(library + " --verbose --against " + library);
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_NE(told.output.find("x\\x0a::error::y"), std::string::npos) << told.output;
  EXPECT_EQ(told.output.find("\n::"), std::string::npos) << told.output;
  EXPECT_EQ(told.output.find('\033'), std::string::npos) << told.output;
}

TEST(Report, SarifHasARuleForEachResult) {
  const ScratchFolder scratch;
  const std::string path = scratch.file("r.sarif");
  tell(kMutants + "/prefixed-candidate.so --prefix executorch_ --sarif " + path);
  std::ifstream file(path);
  const Json sarif = Json::parse(file);
  EXPECT_EQ(sarif["version"], "2.1.0");
  const Json& run = sarif["runs"][0];
  ASSERT_EQ(run["results"].size(), 1u);
  const Json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "SYM.prefixed");
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"],
            "SYM.prefixed");
  EXPECT_EQ(run["invocations"][0]["exitCode"], 1);
}

TEST(Search, AWheelIsReadMemberByMember) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.file("pkg"));
  fs::copy_file(kGood, scratch.file("pkg/libgood.so"));
  scratch.write("pkg/linker_script.so", "INPUT(libgood.so)\n");
  const std::string wheel = scratch.file("pkg.whl");
  ASSERT_TRUE(run_shell("cd " + shell_word(scratch.path()) + " && cmake -E tar cf pkg.whl " +
                        "--format=zip pkg")
                  .ok);
  const Told told = tell(wheel + kGoodOptions);
  EXPECT_EQ(told.exit_code, 0) << told.output;
  ASSERT_EQ(told.json["candidate"].size(), 1u);
  EXPECT_EQ(told.json["candidate"][0]["path"], wheel + "!pkg/libgood.so");
  EXPECT_EQ(verdict(told.json, "SYM.complete"), "PASS");
  EXPECT_NE(told.json["notes"].dump().find("linker_script.so: not judged"), std::string::npos);
  const Told folder = tell(scratch.file("pkg") + kGoodOptions);
  EXPECT_EQ(folder.json["candidate"][0]["path"], scratch.file("pkg/libgood.so"));
}

// What is left of a library must not pass for none.
TEST(Search, ALibrarysNameWithoutALibraryIsTold) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.file("pkg"));
  fs::copy_file(kGood, scratch.file("pkg/libgood.so"));
  scratch.write("pkg/libbad.so.1", std::string("\0ELF and the rest", 17));
  ASSERT_TRUE(run_shell("cd " + shell_word(scratch.path()) + " && cmake -E tar cf pkg.whl " +
                        "--format=zip pkg && mkfifo pkg/fifo.so")
                  .ok);
  const Told wheel = tell(scratch.file("pkg.whl") + kGoodOptions);
  EXPECT_EQ(wheel.exit_code, 2) << wheel.output;
  EXPECT_NE(wheel.output.find("pkg.whl!pkg/libbad.so.1: first bytes: neither ELF"),
            std::string::npos)
      << wheel.output;
  scratch.write("pkg/libold.a", "!<arch>\n");
  const Told folder = tell(scratch.file("pkg") + kGoodOptions);
  EXPECT_EQ(folder.exit_code, 0) << folder.output;
  for (const char* want :
       {"pkg/libbad.so.1: not judged", "pkg/fifo.so: not judged", "pkg/libold.a: not judged"}) {
    EXPECT_NE(folder.json["notes"].dump().find(want), std::string::npos) << folder.json["notes"];
    EXPECT_NE(folder.output.find(want), std::string::npos) << folder.output;
  }
}

// There is nothing in it to judge, in a folder, in a wheel or by name.
TEST(Search, AnEmptyArchiveIsToldAndVerifiesNothing) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.file("pkg"));
  const std::string archive = scratch.write("pkg/libold.a", "!<arch>\n");
  ASSERT_TRUE(
      run_shell("cd " + shell_word(scratch.path()) + " && cmake -E tar cf pkg.whl --format=zip pkg")
          .ok);
  for (const std::string& named : {archive, scratch.file("pkg"), scratch.file("pkg.whl")}) {
    const Told alone = tell(named + kGoodOptions);
    EXPECT_EQ(alone.exit_code, 4) << alone.output;
    EXPECT_NE(alone.output.find("libold.a: not judged"), std::string::npos) << alone.output;
    const Told beside = tell(fmt::format("{} {}{}", kGood, named, kGoodOptions));
    EXPECT_EQ(beside.exit_code, 0) << beside.output;
    EXPECT_NE(beside.output.find("libold.a: not judged"), std::string::npos) << beside.output;
  }
}

TEST(Search, AFileIsJudgedOnceWhateverItIsCalled) {
  const ScratchFolder scratch;
  for (const char* folder : {"one", "two"}) {
    fs::create_directory(scratch.file(folder));
    fs::copy_file(kGood, scratch.file(folder) + "/good.so");
  }
  const std::string one = scratch.file("one/good.so");
  fs::create_symlink(one, scratch.file("link.so"));
  const Told once = tell(one + " " + scratch.file("link.so") + " " + scratch.file("one") + " " +
                         scratch.file("one") + kGoodOptions);
  EXPECT_EQ(once.exit_code, 0) << once.output;
  EXPECT_EQ(once.json["candidate"].size(), 1u);
  // Two files of one name are two definers.
  const Told two = tell(one + " " + scratch.file("two/good.so") + kGoodOptions);
  EXPECT_EQ(verdict(two.json, "SYM.unique-definer"), "FAIL") << two.output;
}

TEST(Search, ADamagedWheelIsAnError) {
  const ScratchFolder scratch;
  fs::copy_file(kGood, scratch.file("libgood.so"));
  ASSERT_TRUE(run_shell("cd " + shell_word(scratch.path()) + " && cmake -E tar cf pkg.whl " +
                        "--format=zip libgood.so")
                  .ok);
  std::fstream file(scratch.file("pkg.whl"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(200);
  file << "damage";
  file.close();
  const Told told = tell(scratch.file("pkg.whl"));
  EXPECT_EQ(told.exit_code, 2) << told.output;
}

TEST(LibtorchFree, IsAskedWithoutAPrefixButNotOfALibtorch) {
  const std::string slim = kMutants + "/libtorch_free_needed-candidate.so";
  EXPECT_EQ(verdict(tell(slim).json, "SYM.libtorch-free"), "FAIL");
  EXPECT_EQ(verdict(tell(slim + " --mode aten").json, "SYM.libtorch-free"), "SKIP");
  const ScratchFolder scratch;
  const std::string torch = scratch.file("libtorch_cpu.so");
  const Ran built = run_shell(fmt::format(
      "echo 'namespace at {{ void zeros() {{}} }}' | g++ -shared -fPIC -x c++ - -x none "
      "-Wl,--no-as-needed {}/libtorch_free_needed-libtorch_cpu.so -o {}",
      shell_word(kMutants), shell_word(torch)));
  ASSERT_TRUE(built.ok) << built.output;
  EXPECT_EQ(verdict(tell(torch).json, "SYM.libtorch-free"), "SKIP");
}

// Little-endian, in at most eight bytes.
void put(std::string& bytes, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i));
}

struct Member {
  std::string name;
  std::string deflated;
  uint64_t size;  ///< as the zip says
};

// A zip that says what it is told to say.
std::string zip_of(const std::vector<Member>& members) {
  std::string bytes, directory;
  for (const Member& member : members) {
    const uint64_t offset = bytes.size();
    const auto header = [&](std::string& out, bool central) {
      put(out, central ? 0x02014b50 : 0x04034b50, 4);
      if (central) put(out, 45, 2);
      for (const uint64_t half : {45, 0, 8, 0, 0x21}) put(out, half, 2);  // 8: deflated
      put(out, 0, 4);                                                     // checksum
      put(out, member.deflated.size(), 4);
      put(out, UINT32_MAX, 4);  // the size is in the extra field
      put(out, member.name.size(), 2);
      put(out, central ? 12 : 20, 2);
      if (central) out.append(10, '\0');
      if (central) put(out, offset, 4);
      out += member.name;
      put(out, 1, 2);
      put(out, central ? 8 : 16, 2);
      put(out, member.size, 8);
      if (!central) put(out, member.deflated.size(), 8);
    };
    header(bytes, false);
    header(directory, true);
    bytes += member.deflated;
  }
  const uint64_t start = bytes.size();
  bytes += directory;
  put(bytes, 0x06054b50, 4);
  put(bytes, 0, 4);
  for (int i = 0; i < 2; ++i) put(bytes, members.size(), 2);
  put(bytes, directory.size(), 4);
  put(bytes, start, 4);
  put(bytes, 0, 2);
  return bytes;
}

// Nothing is written for what a wheel claims beyond the limits, nor more than a member claims.
TEST(Search, AZipBombIsRefused) {
  const ScratchFolder scratch;
  const Ran ran = run_shell("head -c 64M /dev/zero | gzip -n >" + shell_word(scratch.file("gz")));
  ASSERT_TRUE(ran.ok) << ran.output;
  std::ifstream file(scratch.file("gz"), std::ios::binary);
  const std::string gz((std::istreambuf_iterator<char>(file)), {});
  const std::string zeros = gz.substr(10, gz.size() - 18);  // without gzip's header and trailer
  constexpr uint64_t gib = uint64_t{1} << 30;
  const std::tuple<const char*, std::vector<Member>, const char*> rows[] = {
      {"member",
       {{"libone.so", zeros, 9 * gib}},
       "size of member libone.so is 9663676416 (0x240000000): at most 8589934592 are inflated"},
      {"sum",
       {{"liba.so", zeros, 6 * gib}, {"libb.so", zeros, 6 * gib}, {"libc.so", zeros, 6 * gib}},
       "sizes of the members up to libc.so is 6442450944 (0x180000000): at most 17179869184 bytes "
       "are inflated, 4294967296 are left"},
      {"more",
       {{"libone.so", zeros, 1000}},
       "it inflates to more than the 1000 bytes that it says"},
  };
  for (const auto& [name, members, message] : rows) {
    const std::string wheel = scratch.write(std::string(name) + ".whl", zip_of(members));
    EXPECT_LT(fs::file_size(wheel), 1u << 20);
    const Told told = tell(wheel);
    EXPECT_EQ(told.exit_code, 2) << told.output;
    EXPECT_NE(told.output.find(message), std::string::npos) << told.output;
  }
}

// A python3 that says where torch is.
std::string fake_python(const ScratchFolder& scratch, const std::string& answer) {
  const std::string python =
      scratch.write("python3", "#!/bin/sh\necho " + shell_word(answer) + "\n");
  fs::permissions(python, fs::perms::owner_all);
  return "PATH=" + shell_word(scratch.path()) + ":$PATH";
}

TEST(Search, AutoTakesTheLibrariesThatExportShims) {
  const ScratchFolder scratch;
  fs::create_directories(scratch.file("torch/lib"));
  fs::copy_file(kMutants + "/none-libtorch.so", scratch.file("torch/lib/libtorch_cpu.so"));
  fs::copy_file(kZoo + "/many-gnu.so", scratch.file("torch/lib/libother.so"));
  const std::string path = fake_python(scratch, scratch.file("torch"));
  const Told told = tell(kGood + kGoodOptions + " --against auto", path);
  EXPECT_EQ(told.exit_code, 0) << told.output;
  ASSERT_EQ(told.json["symbols"]["against"].size(), 1u) << told.json["symbols"];
  EXPECT_NE(told.output.find("torch/lib/libtorch_cpu.so"), std::string::npos) << told.output;
  EXPECT_EQ(verdict(told.json, "SYM.disjoint"), "PASS");
}

TEST(Search, AutoWithoutTorchIsAnEnvironmentError) {
  const ScratchFolder scratch;
  const Told told = tell(kGood + " --against auto", fake_python(scratch, ""));
  EXPECT_EQ(told.exit_code, 3);
  EXPECT_NE(told.output.find("has no module torch"), std::string::npos) << told.output;
}

TEST(Baseline, WhatWasSavedHolds) {
  const ScratchFolder scratch;
  const std::string saved = scratch.file("baseline.json");
  EXPECT_EQ(tell(kGood + kGoodOptions + " --save-baseline " + saved).exit_code, 0);
  const Told told = tell(kGood + kGoodOptions + " --baseline " + saved);
  EXPECT_EQ(verdict(told.json, "SYM.baseline"), "PASS");
  const Told other =
      tell(kMutants + "/complete_missing-candidate.so" + kGoodOptions + " --baseline " + saved);
  EXPECT_EQ(verdict(other.json, "SYM.baseline"), "FAIL");
}

TEST(SurvivesGc, ACMakePackageIsLinkedAsPublished) {
  const ScratchFolder scratch;
  const std::string archive = kMutants + "/none-archive.a";
  fs::create_directory(scratch.file("good"));
  fs::create_directory(scratch.file("bad"));
  scratch.write("list", "{ executorch_aoti_*; };\n");
  const std::string target = "add_library(runtime INTERFACE IMPORTED)\n";
  scratch.write("good/runtime-config.cmake",
                target + fmt::format("target_link_options(runtime INTERFACE -Wl,--whole-archive {} "
                                     "-Wl,--no-whole-archive -Wl,--dynamic-list={})\n",
                                     archive, scratch.file("list")));
  scratch.write("bad/runtime-config.cmake",
                target + fmt::format("target_link_libraries(runtime INTERFACE {})\n", archive));
  const std::string options = " --prefix executorch_ --select SYM.survives-gc --link-cmake runtime";
  const Told good = tell(archive + options, "CMAKE_PREFIX_PATH=" + scratch.file("good"));
  EXPECT_EQ(verdict(good.json, "SYM.survives-gc"), "PASS") << good.output;
  const Told bad = tell(archive + options, "CMAKE_PREFIX_PATH=" + scratch.file("bad"));
  EXPECT_EQ(verdict(bad.json, "SYM.survives-gc"), "FAIL") << bad.output;
}

TEST(SurvivesGc, ABareArchiveShowsWhatIsLost) {
  const Told told =
      tell(kMutants + "/none-archive.a --prefix executorch_ --select SYM.survives-gc");
  EXPECT_EQ(verdict(told.json, "SYM.survives-gc"), "PASS") << told.output;
  EXPECT_NE(told.output.find("a bare link of the archive keeps 0 of"), std::string::npos)
      << told.output;
  EXPECT_NE(told.output.find("--whole-archive"), std::string::npos) << told.output;
}

TEST(Safety, NothingOfWhatIsReadIsRun) {
  const ScratchFolder scratch;
  const std::string source = scratch.write(
      "trap.c",
      fmt::format("#include <stdio.h>\n__attribute__((constructor)) static void run(void) "
                  "{{ fclose(fopen(\"{}\", \"w\")); }}\nvoid aoti_torch_clone(void) {{}}\n",
                  scratch.file("was_run")));
  const std::string library = scratch.file("trap.so");
  ASSERT_TRUE(run_shell("gcc -shared -fPIC " + source + " -o " + library).ok);
  tell(library + " --against " + library + " --blob " + library);
  EXPECT_FALSE(fs::exists(scratch.file("was_run")));
}

TEST(Safety, TheToolLinksNeitherLlvmNorTorch) {
  const auto input = FileInput::open(AOTI_CTS_TOOL);
  ElfFile file(*input);
  for (const std::string& needed : file.needed()) {
    EXPECT_EQ(needed.find("LLVM"), std::string::npos) << needed;
    EXPECT_EQ(needed.find("torch"), std::string::npos) << needed;
    EXPECT_EQ(needed.find("zip"), std::string::npos) << needed;
  }
}

// 64 MiB is the promise; a sanitizer's shadow is no part of it.
TEST(Memory, LibtorchIsReadInLessThan64MiB) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "resident memory says nothing under a sanitizer";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "resident memory says nothing under a sanitizer";
#endif
#endif
  const Ran fetched = run_shell(shell_word(AOTI_CTS_FETCH) + " torch-2.15.0 2>/dev/null");
  if (!fetched.ok) GTEST_SKIP() << "torch cannot be fetched";
  std::string lib = fetched.output.substr(0, fetched.output.find('\n'));
  lib = lib.ends_with(".so") ? fs::path(lib).parent_path().string() : lib + "/torch/lib";
  for (const std::string& candidate : {kGood, lib + "/libtorch_cuda.so"}) {
    const pid_t pid = fork();
    if (pid == 0) {
      const std::string cpu = lib + "/libtorch_cpu.so", cuda = lib + "/libtorch_cuda.so";
      if (freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
      execl(AOTI_CTS_TOOL, AOTI_CTS_TOOL, "symbols", candidate.c_str(), "--against", cpu.c_str(),
            "--against", cuda.c_str(), nullptr);
      _exit(127);
    }
    int status = 0;
    rusage usage = {};
    ASSERT_EQ(wait4(pid, &status, 0, &usage), pid);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
    EXPECT_LT(usage.ru_maxrss, 64 * 1024) << candidate << ", KiB";
  }
}

}  // namespace
}  // namespace aoti_cts::symbols
