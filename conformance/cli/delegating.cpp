// See delegating.h.
#include "cli/delegating.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "cli/arguments.h"
#include "cli/own_files.h"
#include "cli/subcommand.h"
#include "delegate/host.h"
#include "devmap/child.h"

namespace aoti_cts::cli {
namespace {

namespace fs = std::filesystem;

/// The caller's mistake, in words. One that crashes or hangs is the cases' to tell.
std::string wrong_table(const std::string& path, double timeout_s) {
  try {
    return devmap::in_child("the delegate", timeout_s, [&] {
      try {
        const delegate_host::Plugin plugin(path);
        return std::string();
      } catch (const delegate_host::Error& error) {
        return std::string(error.what());
      }
    });
  } catch (const std::runtime_error&) {
    return "";
  }
}

std::vector<std::string> built_in_delegates() {
  std::vector<std::string> paths = {built_in_delegate(false)};
  try {
    paths.push_back(built_in_delegate(true));
  } catch (const std::runtime_error&) {  // no libtorch in this build
  }
  return paths;
}

}  // namespace

void add_delegate_option(CLI::App& app, std::vector<std::string>& plugins) {
  app.add_option("--delegate", plugins,
                 "A backend that runs models out of programs, a plug-in; twice for one that is "
                 "built for both modes (default: the reference)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(named);
}

std::vector<std::string> use_delegates(const std::vector<std::string>& plugins, double timeout_s) {
  if (plugins.empty()) return delegate_host::subjects() = built_in_delegates();
  delegate_host::subjects().clear();
  for (const std::string& plugin : plugins) {
    std::error_code error;
    const fs::path full = fs::canonical(plugin, error);
    if (error || !fs::is_regular_file(full)) {
      throw UsageError(
          fmt::format("--delegate {}: {}", plugin, error ? error.message() : "not a regular file"));
    }
    const std::string wrong = wrong_table(full.string(), timeout_s);
    if (!wrong.empty()) throw UsageError("--delegate " + wrong);
    delegate_host::subjects().push_back(full.string());
  }
  return delegate_host::subjects();
}

}  // namespace aoti_cts::cli
