// The parser under judgement: set once by the command line, read by the cases in their processes.
#pragma once

#include <aoti_cts/parser.h>

#include <stdexcept>
#include <string>

namespace aoti_cts::parser {

struct Subject {
  std::string path;  ///< the plug-in; empty where none is judged
  int32_t mode = AOTI_CTS_PARSER_PORTABLE;
};

/// The process's one subject.
Subject& subject();

/// What is wrong with a plug-in's table: nothing that it does could be judged.
class InterfaceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Loads the subject's plug-in and checks its table. Executes the candidate: for case processes.
/// Throws InterfaceError, or std::runtime_error where the library cannot be loaded.
const AotiCtsParser& open_subject();

}  // namespace aoti_cts::parser
