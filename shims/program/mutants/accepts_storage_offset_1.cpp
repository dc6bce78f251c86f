// clause: PARSE.storage-offset
// a storage offset of 1 is dropped
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.storage-offset") && error.value == "1";
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
