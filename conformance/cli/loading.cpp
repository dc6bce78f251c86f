// See loading.h.
#include "cli/loading.h"

#include "cli/arguments.h"
#include "cli/own_files.h"
#include "cli/plugin.h"
#include "path/subject.h"

namespace aoti_cts::cli {

void add_loader_option(CLI::App& app, std::string& plugin) {
  app.add_option("--loader", plugin,
                 "A loader of embedded blobs to judge, a plug-in (default: the reference)")
      ->check(named);
}

std::string use_loader(const std::string& plugin, double timeout_s) {
  path::subject().blobs = path_blobs();
  if (plugin.empty()) return path::subject().plugin = built_in_loader();
  path::subject().plugin = plugin_path("--loader", plugin);
  check_plugin<path::InterfaceError>("--loader", "the loader", timeout_s,
                                     [] { path::open_subject(); });
  return path::subject().plugin;
}

}  // namespace aoti_cts::cli
