// clause: PATH.removed-on-failure
// the file of a library that the dynamic linker refuses stays
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  void remove(const char* path, Removal why) override {
    if (why != Removal::LoadFailed) Fault::remove(path, why);
  }
};

AOTI_LOADER_MUTANT(Wrong)
