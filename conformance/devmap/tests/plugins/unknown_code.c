/* Returns a code that the interface does not know, for xpu. */
#define LOOKUP_FIRST \
  if (is(device, "xpu", 3)) return 9;
#include "minimal.c"
