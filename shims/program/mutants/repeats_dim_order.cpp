// clause: PARSE.dim-order
// a dimension may stand twice
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.dim-order") && says(error, "only once") && error.value == "0";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
