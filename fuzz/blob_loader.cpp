// The loader of embedded blobs: any key, any bytes, and any step of the system failing.
//
//   ./dev fuzz blob_loader
//   build/dev/fuzz/fuzz_blob_loader FILE|FOLDER...      "N inputs were run, from M files"
//
// An input is a key, up to a line's end, and the blob's bytes. Which step fails, and how long a
// write is, comes from a hash of it. The system is a stand-in in memory, so no input touches a
// disk.
//
// Oracle. A name is a file's name, inside the directory, of at most 255 bytes and never one that
// was used before; where no step fails the library is loaded from a file that holds exactly the
// bytes, and is closed and removed once when the object goes; where one fails, or the bytes are an
// ELF file of another machine or one that was cut short, there is an error that names the path, and
// no file, no descriptor and no library is left.
//
// fuzz-link: aoti_cts_loader
#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/loader.h"
#include "support/deterministic.h"
#include "support/finding.h"
#include "support/hash.h"

namespace {

using namespace aoti_cts::loader;
using aoti_cts::fuzz::finding;

constexpr const char* folder = "/in/memory";

/// The ELF header of this program, which says what machine this is. Read before the first input.
const uint8_t* own_header() {
  static const std::vector<char> header = [] {
    std::vector<char> bytes(64);
    std::ifstream("/proc/self/exe", std::ios::binary).read(bytes.data(), 64);
    return bytes;
  }();
  return reinterpret_cast<const uint8_t*>(header.data());
}

enum class Fault { none, name_taken, create, write, write_nothing, close, open };

/// A file system and a dynamic linker that hold one blob.
class Memory : public Steps {
 public:
  Memory(uint64_t knobs, std::set<std::string>& names)
      : fault_(static_cast<Fault>(knobs % 7)),
        piece_(1 + knobs / 7 % 97),
        after_(knobs / 679 % 5),
        names_(names) {}

  std::string name(std::string_view key) override {
    const aoti_cts::fuzz::Excused random_by_design;
    std::string made = Steps::name(key);
    if (made.empty() || made.size() > 255 || made == "." || made == ".." ||
        made.find('/') != std::string::npos || made.find('\0') != std::string::npos) {
      finding("no file's name", made);
    }
    if (!names_.insert(made).second) finding("a name twice", made);
    return made;
  }
  int create(const char* path) override {
    const std::string text = path;
    if (text.rfind(std::string(folder) + "/", 0) != 0 ||
        names_.count(text.substr(std::string(folder).size() + 1)) == 0) {
      finding("a file outside of the directory", text);
    }
    if (fault_ == Fault::name_taken && taken_++ < after_) return fail(EEXIST);
    if (fault_ == Fault::create) return fail(EROFS);
    files_[text];
    path_ = text;
    ++open_files_;
    return 1000;
  }
  ssize_t write(int descriptor, const void* data, size_t size) override {
    if (descriptor != 1000 || open_files_ != 1) finding("a write to no file", path_);
    if (fault_ == Fault::write && writes_++ == after_) return fail(ENOSPC);
    if (fault_ == Fault::write_nothing && writes_++ == after_) return 0;
    const size_t count = std::min(size, piece_);
    const auto* const bytes = static_cast<const uint8_t*>(data);
    files_.at(path_).insert(files_.at(path_).end(), bytes, bytes + count);
    return static_cast<ssize_t>(count);
  }
  int close(int /*descriptor*/) override {
    if (open_files_-- != 1) finding("a descriptor closed twice", path_);
    return fault_ == Fault::close ? fail(EIO) : 0;
  }
  void remove(const char* path, Removal /*why*/) override {
    if (files_.erase(path) != 1) finding("a file removed that is none", path);
  }
  void* open(const char* path, int /*flags*/) override {
    if (fault_ == Fault::open) return nullptr;
    const auto found = files_.find(path);
    if (found == files_.end()) finding("a library opened that is no file", path);
    loaded_ = found->second;
    ++libraries_;
    return this;
  }
  void unload(void* library) override {
    if (library != this || libraries_-- != 1) finding("a library closed twice", path_);
  }

  /// Whether the load is to fail for an input of this size.
  bool fails(size_t size) const {
    const size_t writes = (size + piece_ - 1) / piece_;
    switch (fault_) {
      case Fault::none:
      case Fault::name_taken:  // the loader tries again
        return false;
      case Fault::write:
      case Fault::write_nothing:
        return writes > after_;
      default:
        return true;
    }
  }
  bool clean() const { return files_.empty() && open_files_ == 0 && libraries_ == 0; }
  const std::vector<uint8_t>& loaded() const { return loaded_; }
  const std::string& path() const { return path_; }

 private:
  static int fail(int error) {
    errno = error;
    return -1;
  }

  Fault fault_;
  size_t piece_;
  size_t after_;
  std::set<std::string>& names_;
  std::map<std::string, std::vector<uint8_t>> files_;
  std::vector<uint8_t> loaded_;
  std::string path_;
  int open_files_ = 0;
  int libraries_ = 0;
  size_t taken_ = 0;
  size_t writes_ = 0;
};

/// Whether nothing in its header speaks against a library; one that is no ELF file is the dynamic
/// linker's to judge. Written from the format (gABI, "ELF Header" and "Program Header").
bool may_load(std::span<const uint8_t> bytes) {
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return true;
  const auto inside = [&](uint64_t offset, uint64_t size) {
    return size <= bytes.size() && offset <= bytes.size() - size;
  };
  const auto at = [&](uint64_t offset, unsigned width) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + offset, width);
    return value;
  };
  if (!inside(0, 64)) return false;
  if (std::memcmp(bytes.data() + EI_CLASS, own_header() + EI_CLASS, 2) != 0) return false;
  if (std::memcmp(bytes.data() + 18, own_header() + 18, 2) != 0) return false;  // e_machine
  if (at(16, 2) != ET_DYN) return false;
  const uint64_t table = at(32, 8);
  const uint64_t count = at(56, 2);
  if (!inside(table, count * 56)) return false;
  for (uint64_t segment = table; segment < table + count * 56; segment += 56) {
    if (at(segment, 4) == PT_LOAD && !inside(at(segment + 8, 8), at(segment + 32, 8))) return false;
  }
  return true;
}

void run(std::string_view key, std::span<const uint8_t> bytes, Memory& memory) {
  const bool fails = memory.fails(bytes.size()) || !may_load(bytes);
  try {
    const TemporaryLibrary library = TemporaryLibrary::load(bytes, key, folder, 0, memory);
    if (fails)
      finding("loaded, though a step failed or the file is no library here", memory.path());
    if (!std::equal(bytes.begin(), bytes.end(), memory.loaded().begin(), memory.loaded().end())) {
      finding("other bytes are loaded", memory.path());
    }
    if (library.path() != memory.path()) finding("another path is told", library.path());
  } catch (const Error& error) {
    if (!fails) finding("an error, though no step failed and the file may be loaded", error.what());
    if (std::string(error.what()).find(folder) == std::string::npos) {
      finding("an error without the path", error.what());
    }
  }
  if (!memory.clean()) finding("something is left behind", memory.path());
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  // What a process does once: the token that tells it from its children is random.
  const aoti_cts::fuzz::Excused random_by_design;
  own_header();
  std::set<std::string> names;
  Memory memory(0, names);
  run("first", {}, memory);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const aoti_cts::fuzz::Deterministic inside(data, size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find('\n'), text.size());
  const size_t begin = std::min(end + 1, size);
  std::set<std::string> names;
  const uint64_t knobs = aoti_cts::fuzz::hash_of(data, size);
  for (uint64_t i = 0; i < 3; ++i) {  // the names of several loads of one content differ
    Memory memory(knobs + i, names);
    run(text.substr(0, end), {data + begin, size - begin}, memory);
  }
  return 0;
}
