// clause: PATH.exclusive
// the file is created or opened, whichever
// needs: created_exclusively
#include <fcntl.h>

#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  int create(const char* path) override {
    return ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
};

AOTI_LOADER_MUTANT(Wrong)
