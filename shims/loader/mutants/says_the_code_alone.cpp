// clause: BLOB.last-error
// what the model says of its failure is not passed on
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string reason(const std::string& /*said*/) override { return ""; }
};

AOTI_LOADER_MUTANT(Wrong)
