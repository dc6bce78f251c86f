// Closes every descriptor as it is loaded, and allows itself neither files nor bytes in them, for
// good.
#include <sys/resource.h>
#include <unistd.h>

#include "mutants/mutant.h"

namespace {
[[gnu::constructor]] void close_and_limit() {
  for (int fd = 0; fd < 4096; ++fd) close(fd);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NOFILE, &none);
  setrlimit(RLIMIT_FSIZE, &none);
}
}  // namespace
