// clause: PARSE.allocation
// memory_id 0 is taken for no memory
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.allocation") && ends(error.path, "memory_id") && error.value == "0";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
