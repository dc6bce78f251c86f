// See parsing.h.
#include "cli/parsing.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/arguments.h"
#include "cli/own_files.h"
#include "cli/subcommand.h"
#include "devmap/child.h"
#include "parser/subject.h"

namespace aoti_cts::cli {

namespace fs = std::filesystem;

void add_parsing_options(CLI::App& app, ParsingOptions& options) {
  app.add_option("--parser", options.plugin,
                 "A parser of .pte programs to judge, a plug-in (default: the reference)")
      ->check(named);
  app.add_option("--mode", options.mode, "The parser's mode (default: portable)")
      ->check(CLI::IsMember({"portable", "aten"}));
}

std::string use_parser(const ParsingOptions& options) {
  const bool aten = options.aten();
  parser::subject().mode = aten ? AOTI_CTS_PARSER_ATEN : AOTI_CTS_PARSER_PORTABLE;
  if (options.plugin.empty()) {
    parser::subject().path = aten ? built_in_aten_parser() : built_in_parser();
    return parser::subject().path;
  }
  std::error_code error;
  const fs::path full = fs::canonical(options.plugin, error);
  if (error || !fs::is_regular_file(full)) {
    throw UsageError(fmt::format("--parser {}: {}", options.plugin,
                                 error ? error.message() : "not a regular file"));
  }
  parser::subject().path = full.string();
  return parser::subject().path;
}

void check_parser(double timeout_s) {
  std::string wrong;
  try {
    wrong = devmap::in_child("the parser", timeout_s, [] {
      try {
        parser::open_subject();
      } catch (const parser::InterfaceError& error) {
        return std::string(error.what());
      }
      return std::string();
    });
  } catch (const std::runtime_error&) {
    return;  // SYM.loads says so
  }
  if (!wrong.empty()) throw UsageError("--parser " + wrong);
}

}  // namespace aoti_cts::cli
