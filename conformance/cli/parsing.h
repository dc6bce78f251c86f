// The options that name a parser plug-in, for the subcommand that judges one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace aoti_cts::cli {

struct ParsingOptions {
  std::string plugin;  ///< a plug-in's path; empty: the reference
  std::string mode;    ///< "portable", "aten"; empty where it was not said: portable
  bool asked() const { return !plugin.empty() || !mode.empty(); }
  bool aten() const { return mode == "aten"; }
};

/// Adds --parser and --mode.
void add_parsing_options(CLI::App& app, ParsingOptions& options);

/// Sets what cases judge (parser::subject()), and returns the plug-in's path. Throws UsageError for
/// a path that is no file, std::runtime_error where the built-in reference is missing.
std::string use_parser(const ParsingOptions& options);

/// Loads the plug-in in a process of its own and checks its table, so that one which cannot be
/// judged at all is said to be so once: throws UsageError with the reason. One that does not load,
/// crashes or hangs is let through, for its cases to say so.
void check_parser(double timeout_s);

}  // namespace aoti_cts::cli
