// clause: PARSE.verifier
// a vector's length of 2^32-1 crashes it
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    if (says(error, "do not fit") && error.value == "4294967295") __builtin_trap();
    return false;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
