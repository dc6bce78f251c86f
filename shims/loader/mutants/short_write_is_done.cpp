// clause: PATH.faults
// a write that was cut short is taken for a whole one
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  ssize_t write(int descriptor, const void* data, size_t size) override {
    return Fault::write(descriptor, data, size) < 0 ? -1 : static_cast<ssize_t>(size);
  }
};

AOTI_LOADER_MUTANT(Wrong)
