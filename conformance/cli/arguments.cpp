// See arguments.h.
#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>

#include "cli/subcommand.h"
#include "report/text.h"

namespace aoti_cts::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const NamedFile& file) { return !file.path.empty() && file.path != "-"; }

// Several reports may go to one pipe or device; a regular file, or one to be made, keeps the last.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  const bool there = fs::exists(one, error);
  if (there != fs::exists(other, error)) return false;
  if (there) return fs::is_regular_file(one, error) && fs::equivalent(one, other, error);
  const fs::path first = fs::weakly_canonical(fs::absolute(one), error);
  return first == fs::weakly_canonical(fs::absolute(other), error);
}

}  // namespace

void check_prefix(const char* option, const std::string& prefix) {
  constexpr std::size_t longest = 200;
  const auto letter = [](char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
  };
  const auto digit = [](char ch) { return ch >= '0' && ch <= '9'; };
  const bool plain =
      std::all_of(prefix.begin(), prefix.end(), [&](char ch) { return letter(ch) || digit(ch); });
  if (plain && prefix.size() <= longest && (prefix.empty() || letter(prefix.front()))) return;
  throw UsageError(
      fmt::format("{} '{}': has to be letters, digits and underscores, at most {}, no digit first",
                  option, printable(prefix.substr(0, longest)), longest));
}

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!is_file(outputs[i])) continue;
    std::vector<NamedFile> others = inputs;
    others.insert(others.end(), outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(i));
    for (const NamedFile& other : others) {
      if (!is_file(other) || !same_file(outputs[i].path, other.path)) continue;
      throw UsageError(fmt::format("{} {}: is the file of {} as well, which it would replace",
                                   outputs[i].option, printable(outputs[i].path), other.option));
    }
  }
}

std::string named(const std::string& path) { return path.empty() ? "a file's name, not ''" : ""; }

CLI::Option* repeatable(CLI::Option* option) {
  return option->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

std::string regular_file(const char* option, const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) {
    throw UsageError(
        fmt::format("{} {}: {}", option, path.empty() ? "''" : printable(path), error.message()));
  }
  if (!fs::is_regular_file(status)) {
    throw UsageError(fmt::format("{} {}: not a regular file", option, printable(path)));
  }
  return fs::absolute(path).lexically_normal().string();  // its name as given: waivers match it
}

std::string whole_number(const std::string& text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return "";
  return fmt::format("{}: has to be a whole number from 0 to {}", printable(text), UINT64_MAX);
}

}  // namespace aoti_cts::cli
