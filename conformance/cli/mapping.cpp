// See mapping.h.
#include "cli/mapping.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/arguments.h"
#include "cli/own_files.h"
#include "cli/plugin.h"
#include "devmap/candidate.h"

namespace aoti_cts::cli {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<devmap::Candidate> ask_torch(const MappingOptions& options, std::string* record) {
  devmap::TorchOptions torch;
  torch.python = options.python.empty() ? "python3" : options.python;
  torch.imports = options.imports;
  torch.probe = mapping_probe();
  const std::string text = devmap::ask_torch(torch);
  if (record != nullptr) *record = text;
  return devmap::parse_record(text, "--devmap torch");
}

}  // namespace

void add_mapping_options(CLI::App& app, MappingOptions& options) {
  app.add_option(
         "--devmap", options.mapping,
         "The device mapping to judge: torch (the one that --python imports), FILE.json, or "
         "a plug-in (default: the reference)")
      ->check(named);
  app.add_option("--python", options.python, "Interpreter for --devmap torch (default: python3)")
      ->check(named);
  repeatable(
      app.add_option("--import", options.imports,
                     "Module that --devmap torch imports first, such as a backend's (repeatable)"));
}

std::string use_mapping(const MappingOptions& options, std::string* record) {
  std::unique_ptr<devmap::Candidate>& mapping = devmap::subject().mapping;
  if (options.mapping != "torch" && !options.imports.empty()) {
    throw UsageError("--import goes with --devmap torch");
  }
  if (options.mapping != "torch" && !options.python.empty()) {
    throw UsageError("--python goes with --devmap torch");
  }
  if (options.mapping == "torch") {
    mapping = ask_torch(options, record);
  } else if (fs::path(options.mapping).extension() == ".json") {
    try {
      mapping = devmap::open_record(options.mapping);
    } catch (const std::runtime_error& error) {
      throw UsageError(fmt::format("--devmap {}", error.what()));
    }
  } else if (options.mapping.empty()) {
    mapping = devmap::open_plugin(built_in_mapping());
  } else {
    mapping = devmap::open_plugin(plugin_path("--devmap", options.mapping));
  }
  return mapping->name();
}

}  // namespace aoti_cts::cli
