// clause: PARSE.buffer-device
// device type 7 of a planned buffer is taken as it is
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.buffer-device") && error.value == "7";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
