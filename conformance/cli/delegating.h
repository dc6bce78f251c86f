// The option that names delegate plug-ins.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace aoti_cts::cli {

/// Adds --delegate.
void add_delegate_option(CLI::App& app, std::vector<std::string>& plugins);

/// Sets what cases judge (delegate_host::subjects()) and returns the plug-ins' paths; where none is
/// named, the reference's: the portable build, and the one over libtorch where there is one. Throws
/// UsageError for a path that is no file, and for a plug-in whose table a child finds to be of
/// another version or to lack something (at most `timeout_s`).
std::vector<std::string> use_delegates(const std::vector<std::string>& plugins, double timeout_s);

}  // namespace aoti_cts::cli
