// clause: PARSE.sizes
// a size of -1 is taken for unknown
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.sizes") && error.value == "-1";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
