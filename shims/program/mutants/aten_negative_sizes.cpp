// clause: PARSE.aten-negative
// negative sizes of dynamic inputs are left to the first resize
// mode: aten
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override { return breaks(error, "PARSE.aten-negative"); }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
