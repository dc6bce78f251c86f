// clause: PATH.contained
// the key goes into the path as it is
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string name(std::string_view key) override {
    return std::string(key) + "-" + Fault::name("");
  }
};

AOTI_LOADER_MUTANT(Wrong)
