// clause: PARSE.device-index
// the device indexes of the first method's tensors alone are checked
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.device-index") && error.path.rfind("execution_plan[1]", 0) == 0;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
