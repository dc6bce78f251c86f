// See loadable.h.
//
// dlopen calls a library of another machine "No such file or directory", and one that was cut short
// ends its process: neither is a verdict on the runtime. The header and the segments are read
// alone, as the loader does, so that a library with odd section headers is judged all the same.
#include "cli/loadable.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/arguments.h"
#include "cli/subcommand.h"
#include "report/text.h"
#include "symbols/library.h"

namespace aoti_cts::cli {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

class Library {
 public:
  Library(const char* option, const std::string& path)
      : name_(fmt::format("{} {}", option, printable(path))), file_(path, std::ios::binary) {
    std::error_code error;
    size_ = std::filesystem::file_size(path, error);
    if (error || !file_) fail("cannot be read");
  }

  void check() {
    check_format();
    check_header();
    check_segments();
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw UsageError(fmt::format("{}: {}", name_, problem));
  }

  template <class T>
  T read_at(uint64_t offset) {
    T value{};
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    if (!file_.read(reinterpret_cast<char*>(&value), sizeof value)) fail("cannot be read");
    return value;
  }

  void check_format() {
    if (size_ == 0) fail("is empty");
    std::array<char, 8> first{};
    file_.read(first.data(), static_cast<std::streamsize>(std::min<uint64_t>(size_, first.size())));
    const std::string_view text(first.data(), first.size());
    if (text.starts_with("!<arch>") || text.starts_with("!<thin>")) {
      fail("a static archive; check loads shared libraries (aoti-cts symbols reads archives)");
    }
    if (!text.starts_with(ELFMAG)) {
      const std::string_view shown = text.substr(0, std::min<uint64_t>(size_, 4));
      fail(fmt::format("no ELF file: begins with '{}', want '{}'", printable(std::string(shown)),
                       printable(ELFMAG)));
    }
    if (size_ < sizeof(Header)) {
      fail(fmt::format("{} bytes, cut short: an ELF header has {}", size_, sizeof(Header)));
    }
  }

  void check_header() {
    static const Header own = read_own();
    header_ = read_at<Header>(0);
    for (const auto& [field, at] :
         {std::pair("EI_CLASS", EI_CLASS), std::pair("EI_DATA", EI_DATA)}) {
      if (header_.e_ident[at] == own.e_ident[at]) continue;
      fail(fmt::format("{} is {}, want {}: built for another machine", field, header_.e_ident[at],
                       own.e_ident[at]));
    }
    if (header_.e_machine != own.e_machine) {
      fail(fmt::format("e_machine is {}, want {}: built for another machine",
                       symbols::machine_text(header_.e_machine),
                       symbols::machine_text(own.e_machine)));
    }
    if (header_.e_type != ET_DYN) {
      fail(fmt::format("e_type is {}, want {}: no shared library", header_.e_type, ET_DYN));
    }
  }

  Header read_own() const {
    Header own{};
    std::ifstream file("/proc/self/exe", std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(&own), sizeof own)) {
      throw std::runtime_error("/proc/self/exe cannot be read");
    }
    return own;
  }

  void check_segments() {
    const uint64_t table = header_.e_phoff;
    const uint64_t bytes = uint64_t{header_.e_phnum} * sizeof(Segment);
    if (table > size_ || bytes > size_ - table) {
      fail(fmt::format("{} bytes, cut short: its segments' table is at {}", size_, table));
    }
    for (uint64_t i = 0; i < header_.e_phnum; ++i) {
      const auto segment = read_at<Segment>(table + i * sizeof(Segment));
      if (segment.p_type != PT_LOAD) continue;
      if (segment.p_offset <= size_ && segment.p_filesz <= size_ - segment.p_offset) continue;
      fail(fmt::format("{} bytes, cut short: segment {} has {} at {}", size_, i, segment.p_filesz,
                       segment.p_offset));
    }
  }

  std::string name_;
  std::ifstream file_;
  uint64_t size_ = 0;
  Header header_{};
};

}  // namespace

std::string loadable_library(const char* option, const std::string& path) {
  std::string absolute = regular_file(option, path);
  Library(option, path).check();
  return absolute;
}

}  // namespace aoti_cts::cli
