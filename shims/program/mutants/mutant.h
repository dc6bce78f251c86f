// A parser with one deliberate fault: the reference, but for what a mutant's file overrides. In
// ATen mode it only says what at::Tensor would say, which is enough for the suite to judge.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "program/plugin/plugin.h"

namespace aoti_cts::program::mutants {

using plugin::PortableLoaded;

/// What a mutant may do other than the reference. Each mutant overrides one or two of these.
struct Fault : Sabotage {
  bool waive(const Error& /*error*/) override { return false; }
  bool touch(Program& /*program*/, Tensor& /*tensor*/) override { return true; }
  /// What the call is taken for.
  virtual AotiCtsParserInput taken(const AotiCtsParserInput& input) { return input; }
  /// Before anything is parsed; true refuses the file.
  virtual bool refuse(const AotiCtsParserInput& /*input*/) { return false; }
  /// After a program was refused.
  virtual void refused() {}
};

inline bool breaks(const Error& error, std::string_view clause) { return clause == error.clause; }
inline bool says(const Error& error, std::string_view part) {
  return error.want.find(part) != std::string::npos;
}
inline bool ends(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

template <class F, class L>
int32_t parse(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  static F fault;
  if (fault.refuse(*input)) {
    plugin::set_error(*error, static_cast<int32_t>(Code::InvalidProgram), "refused by the mutant");
    return error->code;
  }
  const AotiCtsParserInput taken = fault.taken(*input);
  const int32_t code = plugin::parse_into<L>(&taken, &fault, program, error);
  if (code != 0) fault.refused();
  return code;
}

}  // namespace aoti_cts::program::mutants

using namespace aoti_cts::program;
using namespace aoti_cts::program::mutants;

/// Ends a mutant's file: its Fault, and the Loaded that describes its tensors.
#define AOTI_PARSER_MUTANT(F, L)                                     \
  const AotiCtsParser* aoti_cts_parser() {                           \
    static constexpr AotiCtsParser table = {sizeof(AotiCtsParser),   \
                                            AOTI_CTS_PARSER_VERSION, \
                                            3u,                      \
                                            "mutant",                \
                                            parse<F, L>,             \
                                            plugin::tensors,         \
                                            plugin::tensor,          \
                                            plugin::set_data,        \
                                            plugin::free_program,    \
                                            alignment};              \
    return &table;                                                   \
  }
