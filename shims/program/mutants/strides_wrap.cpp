// clause: PARSE.stride-overflow
// strides may overflow
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override { return breaks(error, "PARSE.stride-overflow"); }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
