/* Never comes back from a lookup of cuda. */
#define LOOKUP_FIRST              \
  while (is(device, "cuda", 4)) { \
  }
#include "minimal.c"
