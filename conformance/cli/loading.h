// The option that names a loader plug-in.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace aoti_cts::cli {

/// Adds --loader.
void add_loader_option(CLI::App& app, std::string& plugin);

/// Sets what cases judge (path::subject()), and returns the plug-in's path; an empty one is the
/// reference. Throws UsageError for a path that is no file, and for a plug-in whose table is of
/// another version or lacks something, which a child asks it for (at most `timeout_s`);
/// std::runtime_error where a file of ours is missing.
std::string use_loader(const std::string& plugin, double timeout_s);

}  // namespace aoti_cts::cli
