// clause: PARSE.buffer-device
// the devices of the first method's buffers alone are checked
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.buffer-device") && error.path.rfind("execution_plan[1]", 0) == 0;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
