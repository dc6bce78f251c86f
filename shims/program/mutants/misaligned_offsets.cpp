// clause: PARSE.alignment
// planned tensors may lie anywhere
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override { return breaks(error, "PARSE.alignment"); }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
