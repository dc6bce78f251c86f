// The reference parser in portable mode as a plug-in, as any candidate would bring one.
#include "program/plugin/plugin.h"

using namespace aoti_cts::program::plugin;

static int32_t parse(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  return parse_into<PortableLoaded>(input, nullptr, program, error);
}

const AotiCtsParser* aoti_cts_parser() {
  static constexpr AotiCtsParser table = {sizeof(AotiCtsParser),
                                          AOTI_CTS_PARSER_VERSION,
                                          1u << AOTI_CTS_PARSER_PORTABLE,
                                          "aoti-cts reference parser",
                                          parse,
                                          tensors,
                                          tensor,
                                          set_data,
                                          free_program,
                                          aoti_cts::program::alignment};
  return &table;
}
