// The reference loader: what it leaves behind, and what it does when the system refuses a step.
//
//   ctest -R shims.loader      "100% tests passed"
#include "loader/loader.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

namespace aoti_cts::loader {
namespace {

namespace fs = std::filesystem;

std::vector<uint8_t> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const std::vector<uint8_t>& blob() {
  static const std::vector<uint8_t> bytes = read(AOTI_CTS_BLOB);
  return bytes;
}

int count(const TemporaryLibrary& library) {
  return reinterpret_cast<int (*)()>(library.symbol("blob_count"))();
}

size_t descriptors() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

/// A folder for one test, and the check that nothing is left in it.
class Loader : public testing::Test {
 protected:
  Loader() {
    std::string name = testing::TempDir() + "loader-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    folder_ = name;
  }
  ~Loader() override { fs::remove_all(folder_); }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }
  TemporaryLibrary load(std::string_view key = "key", Steps& steps = Steps::reference()) const {
    return TemporaryLibrary::load(blob(), key, folder_, RTLD_NOW | RTLD_LOCAL, steps);
  }
  /// The error's text, after which nothing may be left.
  std::string refused(std::span<const uint8_t> bytes, Steps& steps = Steps::reference()) const {
    const size_t before = descriptors();
    std::string text = "no error";
    try {
      TemporaryLibrary::load(bytes, "key", folder_, RTLD_NOW | RTLD_LOCAL, steps);
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(files(), std::set<std::string>()) << text;
    EXPECT_EQ(descriptors(), before) << text;
    return text;
  }

  std::string folder_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Loader, GivesEachLoadALibraryOfItsOwn) {
  const TemporaryLibrary one = load();
  const TemporaryLibrary two = load();
  EXPECT_NE(one.path(), two.path());
  EXPECT_EQ(count(one), 1);
  EXPECT_EQ(count(one), 2);
  EXPECT_EQ(count(two), 1);
  EXPECT_EQ(read(one.path()), blob());
}

TEST_F(Loader, RemovesTheFileOnce) {
  {
    TemporaryLibrary one = load();
    TemporaryLibrary two = std::move(one);
    // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): moved from is empty
    EXPECT_EQ(one.path(), "");
    EXPECT_EQ(count(two), 1);
    TemporaryLibrary three = load();
    three = std::move(two);
    EXPECT_EQ(files().size(), 1U);
    EXPECT_EQ(count(three), 2);
  }
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(Loader, MakesAFileForItsOwnerWhateverTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{0777}}) {
    const mode_t before = umask(mask);
    const TemporaryLibrary one = load();
    umask(before);
    struct stat status {};
    ASSERT_EQ(lstat(one.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode, mode_t{S_IFREG | 0600});
  }
}

TEST_F(Loader, NamesAreOneComponentWhateverTheKey) {
  using namespace std::string_literals;
  for (const std::string& key :
       {"../../x"s, "/"s, "a/b"s, "a\0b"s, ""s, "."s, ".."s, std::string(4096, 'k'), "%s\n\xff"s}) {
    const TemporaryLibrary one = load(key);
    EXPECT_EQ(fs::path(one.path()).parent_path(), folder_);
    EXPECT_EQ(fs::path(one.path()).filename().string().rfind("aoti-", 0), 0U) << one.path();
  }
}

TEST_F(Loader, UsesTmpdir) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", folder_.c_str(), 1);
  const std::string path = TemporaryLibrary::load(blob(), "key").path();
  EXPECT_EQ(fs::path(path).parent_path(), folder_);
  setenv("TMPDIR", "", 1);
  EXPECT_EQ(default_directory(), "/tmp");
  before != nullptr ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}

TEST_F(Loader, FindsItsFileFromAnotherFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  {
    const TemporaryLibrary one = TemporaryLibrary::load(blob(), "key", ".");
    fs::current_path(before);
    EXPECT_EQ(files().size(), 1U);
  }
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(Loader, ManyThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> paths(64);
  for (size_t i = 0; i < paths.size(); ++i) {
    threads.emplace_back([this, &paths, i] {
      const TemporaryLibrary one = load();
      paths[i] = one.path();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()).size(), paths.size());
  EXPECT_EQ(files(), std::set<std::string>());
}

// A child has a copy of the handle; the file is its parent's.
TEST_F(Loader, AForkedChildLeavesItsParentsFile) {
  TemporaryLibrary mine = load();
  const pid_t pid = fork();
  if (pid == 0) {
    { const TemporaryLibrary gone = std::move(mine); }
    const bool stays = files().size() == 1;
    bool own = false;
    {
      const TemporaryLibrary one = load();
      own = files().size() == 2;
    }
    _exit(stays && own && files().size() == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(count(mine), 1);
}

TEST_F(Loader, SaysWhatIsNoLibrary) {
  const std::vector<uint8_t> text(100, 'x');
  EXPECT_PRED2(has, refused(text), "invalid ELF header");
  EXPECT_PRED2(has, refused({}), folder_);
  EXPECT_PRED2(has, refused(std::span(blob()).first(100)), folder_);
}

// Wherever it ends, the dynamic linker would touch a page behind the file's end, or not see it.
TEST_F(Loader, SaysWhatWasCutShort) {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(blob().data());
  const auto* const segments = reinterpret_cast<const Elf64_Phdr*>(blob().data() + header->e_phoff);
  uint64_t end = 0;  // of what is loaded: section headers may be missing
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type != PT_LOAD) continue;
    end = std::max(end, segments[i].p_offset + segments[i].p_filesz);
  }
  for (const uint64_t size : {uint64_t{4}, uint64_t{63}}) {
    EXPECT_PRED2(has, refused(std::span(blob()).first(size)),
                 ": " + std::to_string(size) + " bytes, cut short: an ELF header has 64");
  }
  EXPECT_PRED2(has, refused(std::span(blob()).first(64)),
               ".so: 64 bytes, cut short: e_phoff is 64, and the segments' table has ");
  for (uint64_t size = 1024; size < end; size += 1024) {
    const std::string text = refused(std::span(blob()).first(size));
    EXPECT_PRED2(has, text, ".so: " + std::to_string(size) + " bytes, cut short: segment ");
    EXPECT_PRED2(has, text, " (PT_LOAD) has p_filesz ");
  }
  EXPECT_PRED2(has, refused(std::span(blob()).first(end - 1)), "cut short");
  std::vector<uint8_t> whole(blob().begin(), blob().begin() + static_cast<std::ptrdiff_t>(end));
  TemporaryLibrary::load(whole, "key", folder_);
}

TEST_F(Loader, SaysThatItIsForAnotherMachine) {
  std::vector<uint8_t> bytes = blob();
  bytes[offsetof(Elf64_Ehdr, e_machine)] ^= 1U;
  EXPECT_PRED2(has, refused(bytes), ": built for another machine");
  EXPECT_PRED2(has, refused(bytes), ".so: e_machine is ");
}

TEST_F(Loader, SaysWhatIsNoDirectory) {
  const auto text = [](const std::string& directory) {
    try {
      TemporaryLibrary::load(blob(), "key", directory);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_PRED2(has, text(folder_ + "/missing"), folder_ + "/missing/aoti-key-");
  EXPECT_PRED2(has, text(folder_ + "/missing"), ": No such file or directory");
  EXPECT_PRED2(has, text(AOTI_CTS_BLOB), ": Not a directory");
  EXPECT_EQ(text(std::string("/tmp\0x", 6)), "directory /tmp: its name has a NUL");
}

TEST_F(Loader, SaysWhatSymbolIsMissing) {
  const TemporaryLibrary one = load();
  try {
    one.symbol("none");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), one.path() + ": exports no none");
  }
}

/// Writes at most `most` bytes at a time, is interrupted before each, and after `room` bytes is
/// full.
struct Slow : Steps {
  size_t most = 1000;
  size_t room = SIZE_MAX;
  int error = ENOSPC;  ///< 0: a write of no bytes
  bool interrupted = false;
  ssize_t write(int descriptor, const void* data, size_t size) override {
    interrupted = !interrupted;
    errno = interrupted ? EINTR : error;
    if (interrupted) return -1;
    const ssize_t count = Steps::write(descriptor, data, std::min({size, most, room}));
    if (count > 0) room -= static_cast<size_t>(count);
    return count == 0 && error != 0 ? -1 : count;
  }
};

TEST_F(Loader, GoesOnAfterAShortWrite) {
  Slow slow;
  const TemporaryLibrary one = load("key", slow);
  EXPECT_EQ(read(one.path()), blob());
  EXPECT_EQ(count(one), 1);
}

TEST_F(Loader, SaysThatThereIsNoRoom) {
  const std::string size = std::to_string(blob().size());
  for (const int error : {ENOSPC, 0}) {
    Slow full;
    full.room = 2500;
    full.error = error;
    EXPECT_PRED2(has, refused(blob(), full),
                 ".so: No space left on device after 2500 of " + size + " bytes");
  }
}

TEST_F(Loader, SaysThatTheFileCouldNotBeClosed) {
  struct : Steps {
    int close(int descriptor) override {
      Steps::close(descriptor);
      errno = EDQUOT;
      return -1;
    }
  } steps;
  EXPECT_PRED2(has, refused(blob(), steps), "Disk quota exceeded");
}

/// Says the same name over and over.
struct Predictable : Steps {
  int asked = 0;
  std::string name(std::string_view /*key*/) override {
    ++asked;
    return "taken";
  }
};

TEST_F(Loader, NeverOpensWhatIsThere) {
  Predictable steps;
  const std::string taken = folder_ + "/taken";
  const auto refusal = [&] {
    try {
      load("key", steps);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  fs::create_symlink(folder_ + "/elsewhere", taken);
  EXPECT_EQ(refusal(), taken + ": File exists");
  EXPECT_GT(steps.asked, 1);
  EXPECT_EQ(files(), std::set<std::string>{"taken"});
  fs::remove(taken);
  std::ofstream(taken) << "planted";
  EXPECT_EQ(refusal(), taken + ": File exists");
  EXPECT_EQ(fs::file_size(taken), 7U);
}

TEST_F(Loader, TakesAnotherNameWhereOneIsTaken) {
  struct : Steps {
    int asked = 0;
    std::string name(std::string_view key) override {
      return asked++ == 0 ? "taken" : Steps::name(key);
    }
  } steps;
  std::ofstream(folder_ + "/taken") << "planted";
  const TemporaryLibrary one = load("key", steps);
  EXPECT_EQ(steps.asked, 2);
  EXPECT_EQ(count(one), 1);
}

}  // namespace
}  // namespace aoti_cts::loader
