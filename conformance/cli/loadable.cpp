// See loadable.h.
//
// A library of another machine, or one that was cut short, is no verdict on the runtime.
#include "cli/loadable.h"

#include <aoti_loader/loadable.h>
#include <elf.h>
#include <fmt/format.h>

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
    const auto read = [this](uint64_t offset, void* into, std::size_t bytes) {
      file_.clear();
      file_.seekg(static_cast<std::streamoff>(offset));
      return static_cast<bool>(
          file_.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes)));
    };
    const std::string problem = aoti_loader::library_problem(size_, read, symbols::machine_text);
    if (!problem.empty()) fail(problem);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw UsageError(fmt::format("{}: {}", name_, problem));
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
  }

  std::string name_;
  std::ifstream file_;
  uint64_t size_ = 0;
};

}  // namespace

std::string loadable_library(const char* option, const std::string& path) {
  std::string absolute = regular_file(option, path);
  Library(option, path).check();
  return absolute;
}

}  // namespace aoti_cts::cli
