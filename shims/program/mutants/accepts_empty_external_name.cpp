// clause: PARSE.external
// an empty name is a name
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.external") && error.value == "\"\"";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
