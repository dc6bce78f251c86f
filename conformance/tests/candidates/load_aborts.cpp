// Aborts while it is loaded.
#include "candidate.h"

AT_LOAD {
  fprintf(stderr, "no licence found\n");
  abort();
}
