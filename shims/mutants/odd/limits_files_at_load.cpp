// Allows itself eight open files and a page in each as it is loaded; the hard limits stay.
#include <sys/resource.h>

#include "mutants/mutant.h"

namespace {
void lower(__rlimit_resource which, rlim_t soft) {
  rlimit limit{};
  getrlimit(which, &limit);
  limit.rlim_cur = soft;
  setrlimit(which, &limit);
}

[[gnu::constructor]] void limit_files() {
  lower(RLIMIT_NOFILE, 8);
  lower(RLIMIT_FSIZE, 4096);
}
}  // namespace
