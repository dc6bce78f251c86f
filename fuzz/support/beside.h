// Where a library is that a target opens unless it is told another: beside the target, where a
// fuzzing service keeps both and nothing of the build, or else where it was built.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace aoti_cts::fuzz {

/// @param built  absolute path in the build folder; empty, and so is what is returned, where this
///               build has no such library
inline std::string beside(const std::string& built) {
  if (built.empty()) return built;  // or the target's own folder would be what is beside it
  std::error_code error;
  const auto target = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return built;
  const auto here = target.parent_path() / std::filesystem::path(built).filename();
  return std::filesystem::exists(here, error) ? here.string() : built;
}

/// A path as it is given on the command line, so that what is printed and written down works from
/// any folder. What is no file stays as it is: the dynamic linker looks a bare name up.
inline std::string absolute(const std::string& given) {
  std::error_code error;
  const auto path = std::filesystem::canonical(given, error);
  return error ? given : path.string();
}

}  // namespace aoti_cts::fuzz
