/* Ends by a signal in each lookup. */
#define LOOKUP_FIRST abort();
#include "minimal.c"
