// clause: PARSE.header
// a file is read in whole words of 8 bytes, also the last one of a file that ends inside it
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  AotiCtsParserInput taken(const AotiCtsParserInput& input) override {
    AotiCtsParserInput whole = input;
    whole.size = (whole.size + 7) / 8 * 8;
    return whole;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
