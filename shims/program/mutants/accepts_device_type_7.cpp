// clause: PARSE.device-type
// device type 7 is taken for a device of its own
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.device-type") && error.value == "7";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
