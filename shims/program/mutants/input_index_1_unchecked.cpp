// clause: PARSE.values
// an input may name value 1 of one
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.values") && ends(error.path, "inputs[0]") && error.value == "1";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
