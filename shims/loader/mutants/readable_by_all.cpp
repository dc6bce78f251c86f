// clause: PATH.exclusive
// the file has mode 0644
#include <fcntl.h>

#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  int create(const char* path) override {
    return ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  }
};

AOTI_LOADER_MUTANT(Wrong)
