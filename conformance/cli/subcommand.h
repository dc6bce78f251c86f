// How a subcommand of aoti-cts is added: one file in this folder that defines a Subcommand at
// namespace scope. main.cpp knows none of them by name.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace aoti_cts::cli {

/// Thrown for what the caller did wrong (exit code 2), with a text that names option and value.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One subcommand. `setup` adds options to its CLI::App and returns what runs it, which returns the
/// exit code.
struct Subcommand {
  using Setup = std::function<int()> (*)(CLI::App& app);

  Subcommand(const char* command, const char* summary, Setup add);

  const char* name;
  const char* description;
  Setup setup;

  /// All of them, sorted by name.
  static std::vector<const Subcommand*>& all();
};

/// Writes a text to standard output; throws std::runtime_error where that fails.
void print(const std::string& text);

}  // namespace aoti_cts::cli
