// See delegating.h.
#include "cli/delegating.h"

#include <stdexcept>

#include "cli/arguments.h"
#include "cli/own_files.h"
#include "cli/plugin.h"
#include "delegate/host.h"

namespace aoti_cts::cli {
namespace {

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
  repeatable(
      app.add_option("--delegate", plugins,
                     "A backend that runs models out of programs, a plug-in; twice for one that is "
                     "built for both modes (default: the reference)"))
      ->check(named);
}

std::vector<std::string> use_delegates(const std::vector<std::string>& plugins, double timeout_s) {
  if (plugins.empty()) return delegate_host::subjects() = built_in_delegates();
  delegate_host::subjects().clear();
  for (const std::string& plugin : plugins) {
    const std::string path = plugin_path("--delegate", plugin);
    check_plugin<delegate_host::Error>("--delegate", "the delegate", timeout_s,
                                       [&] { const delegate_host::Plugin opened(path); });
    delegate_host::subjects().push_back(path);
  }
  return delegate_host::subjects();
}

}  // namespace aoti_cts::cli
