// clause: PATH.distinct
// each thread counts its own loads, and the name says nothing of the thread
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string name(std::string_view key) override {
    static thread_local int count = 0;
    return plain(key) + pid_namespace() + "-" + std::to_string(getpid()) + "-" +
           std::to_string(count++) + ".so";
  }
};

AOTI_LOADER_MUTANT(Wrong)
