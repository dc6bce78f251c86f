// clause: PATH.exclusive
// names can be foretold, and what stands there is opened
#include <fcntl.h>

#include <atomic>

#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string name(std::string_view key) override {
    static std::atomic<int> count{0};
    return plain(key) + pid_namespace() + "-" + std::to_string(getpid()) + "-" +
           std::to_string(count++) + ".so";
  }
  int create(const char* path) override {
    return ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
};

AOTI_LOADER_MUTANT(Wrong)
