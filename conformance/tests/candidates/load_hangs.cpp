// Does not return from its initialiser.
#include <unistd.h>

#include "candidate.h"

AT_LOAD {
  for (;;) pause();
}
