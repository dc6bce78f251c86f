// The parser under judgement: set once by the command line, read by the cases in their processes.
#pragma once

#include <aoti_cts/parser.h>

#include <string>

namespace aoti_cts::parser {

struct Subject {
  std::string path;  ///< the plug-in; empty where none is judged
  int32_t mode = AOTI_CTS_PARSER_PORTABLE;
};

/// The process's one subject.
Subject& subject();

/// Loads the subject's plug-in and checks its table. Executes the candidate: for case processes.
/// Throws std::runtime_error that says what is wrong with the plug-in.
const AotiCtsParser& open_subject();

}  // namespace aoti_cts::parser
