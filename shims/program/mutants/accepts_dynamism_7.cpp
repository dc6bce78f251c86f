// clause: PARSE.enum-range
// shape_dynamism 7 is cast to the enumeration
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.enum-range") && error.value == "7";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
