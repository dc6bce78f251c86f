// See plugin.h.
#include "cli/plugin.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace aoti_cts::cli {

namespace fs = std::filesystem;

std::string plugin_path(const char* option, const std::string& path) {
  std::error_code error;
  const fs::path full = fs::canonical(path, error);
  if (error || !fs::is_regular_file(full)) {
    throw UsageError(
        fmt::format("{} {}: {}", option, path, error ? error.message() : "not a regular file"));
  }
  return full.string();
}

}  // namespace aoti_cts::cli
