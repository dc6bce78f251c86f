// See parsing.h.
#include "cli/parsing.h"

#include "cli/arguments.h"
#include "cli/own_files.h"
#include "cli/plugin.h"
#include "parser/subject.h"

namespace aoti_cts::cli {

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
  parser::subject().path = plugin_path("--parser", options.plugin);
  return parser::subject().path;
}

void check_parser(double timeout_s) {
  check_plugin<parser::InterfaceError>("--parser", "the parser", timeout_s,
                                       [] { parser::open_subject(); });
}

}  // namespace aoti_cts::cli
