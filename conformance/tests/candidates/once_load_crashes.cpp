// Crashes in the first process that loads it, and in no later one.
#include <fcntl.h>

#include "candidate.h"

AT_LOAD {
  if (open(getenv("AOTI_TEST_STATE"), O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0) abort();
}
