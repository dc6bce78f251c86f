// clause: PARSE.buffer-index
// an entry for buffer 0 is ignored
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.buffer-index") && error.value == "0";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
