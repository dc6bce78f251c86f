// Lets no process be started once it is loaded. For root there is no such limit, so it stops to be.
#include <sys/resource.h>
#include <unistd.h>

#include "candidate.h"

AT_LOAD {
  if (getuid() == 0 && setuid(65534) != 0) return;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NPROC, &none);
}
