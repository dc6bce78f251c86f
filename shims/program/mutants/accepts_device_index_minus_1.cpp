// clause: PARSE.device-index
// index -1 is taken for the current device
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.device-index") && error.value == "-1";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
