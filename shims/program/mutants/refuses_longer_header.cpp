// clause: PARSE.compat
// an extended header with a field of a later version is refused
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool refuse(const AotiCtsParserInput& input) override {
    const auto* const bytes = static_cast<const uint8_t*>(input.data);
    return input.size > 16 && std::memcmp(bytes + 8, "eh00", 4) == 0 && bytes[12] > 32 &&
           bytes[13] == 0 && bytes[14] == 0 && bytes[15] == 0;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
