// The options that name a device mapping, for the subcommands that judge or show one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace aoti_cts::cli {

struct MappingOptions {
  std::string mapping;  ///< "torch", a .json file, or a plug-in's path; empty: the reference
  std::string python;   ///< empty: python3
  std::vector<std::string> imports;
};

/// Adds --devmap, --python and --import.
void add_mapping_options(CLI::App& app, MappingOptions& options);

/// Sets what cases judge (devmap::subject().mapping), and returns its name. With "torch" this runs
/// the probe; its record is stored in `record` where that is given. Throws UsageError for a file
/// that cannot be read, std::runtime_error where torch cannot be asked.
std::string use_mapping(const MappingOptions& options, std::string* record = nullptr);

}  // namespace aoti_cts::cli
