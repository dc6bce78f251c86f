// clause: PARSE.dtype
// scalar type 100 has elements of no size
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.dtype") && error.value == "100";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
