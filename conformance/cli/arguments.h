// What several subcommands ask of their arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace aoti_cts::cli {

/// An option and the file that it names.
struct NamedFile {
  const char* option;
  std::string path;
};

/// Throws UsageError for a prefix that is no beginning of a C identifier; empty is one.
void check_prefix(const char* option, const std::string& prefix);

/// Throws UsageError where an output is the same file as another output or as an input, which
/// writing it would destroy. Empty paths and "-" are no files.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// For CLI::Option::check(): an error text for an empty name, as of a script's variable that was
/// not set.
std::string named(const std::string& path);

/// For CLI::Option::check(): an error text for what is no number of 64 bits without a sign. (CLI11
/// takes -1 for the largest.)
std::string whole_number(const std::string& text);

/// For an option of a list: it may be given again, and takes one value each time. (CLI11 lets it
/// take what follows as well, so that a library named behind `--select GLOB` was a second glob.)
CLI::Option* repeatable(CLI::Option* option);

/// The absolute path of the file that `option` names. Throws UsageError where it is no regular one.
std::string regular_file(const char* option, const std::string& path);

}  // namespace aoti_cts::cli
