// clause: PARSE.verifier
// strings need no terminating zero
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return says(error, "without its terminator") || says(error, "no valid FlatBuffer");
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
