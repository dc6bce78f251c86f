// See loading.h.
#include "cli/loading.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "cli/arguments.h"
#include "cli/own_files.h"
#include "cli/subcommand.h"
#include "devmap/child.h"
#include "path/subject.h"

namespace aoti_cts::cli {
namespace {

namespace fs = std::filesystem;

// A plug-in of another interface is the caller's mistake; one that does not load, crashes or hangs
// is the candidate's, and SYM.loads says so.
std::string wrong_table(double timeout_s) {
  try {
    return devmap::in_child("the loader", timeout_s, [] {
      try {
        path::open_subject();
      } catch (const path::InterfaceError& error) {
        return std::string(error.what());
      }
      return std::string();
    });
  } catch (const std::runtime_error&) {
    return "";
  }
}

}  // namespace

void add_loader_option(CLI::App& app, std::string& plugin) {
  app.add_option("--loader", plugin,
                 "A loader of embedded blobs to judge, a plug-in (default: the reference)")
      ->check(named);
}

std::string use_loader(const std::string& plugin, double timeout_s) {
  path::subject().blobs = path_blobs();
  if (plugin.empty()) return path::subject().plugin = built_in_loader();
  std::error_code error;
  const fs::path full = fs::canonical(plugin, error);
  if (error || !fs::is_regular_file(full)) {
    throw UsageError(
        fmt::format("--loader {}: {}", plugin, error ? error.message() : "not a regular file"));
  }
  path::subject().plugin = full.string();
  const std::string wrong = wrong_table(timeout_s);
  if (!wrong.empty()) throw UsageError("--loader " + wrong);
  return path::subject().plugin;
}

}  // namespace aoti_cts::cli
