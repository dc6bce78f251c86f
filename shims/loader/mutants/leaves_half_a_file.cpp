// clause: PATH.faults
// the file that could not be written stays
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  void remove(const char* path, Removal why) override {
    if (why != Removal::WriteFailed) Fault::remove(path, why);
  }
};

AOTI_LOADER_MUTANT(Wrong)
