// clause: PATH.removed-on-failure
// a library of which no container can be made stays loaded, and its file with it
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  bool forgets_failed() override { return true; }
};

AOTI_LOADER_MUTANT(Wrong)
