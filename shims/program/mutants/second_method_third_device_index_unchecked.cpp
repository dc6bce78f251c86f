// clause: PARSE.device-index
// the third value of the second method may have a negative device index
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.device-index") &&
           error.path.rfind("execution_plan[1].values[2].", 0) == 0;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
