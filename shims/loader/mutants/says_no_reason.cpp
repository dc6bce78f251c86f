// clause: PATH.faults
// the error does not say what went wrong
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string message(const std::exception& /*error*/) override { return "cannot load the model"; }
};

AOTI_LOADER_MUTANT(Wrong)
