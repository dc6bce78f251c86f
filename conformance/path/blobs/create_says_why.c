/* A model whose container cannot be made, with the reason. */
#define LAST_ERROR                                                  \
  *text = "constant 'fc.weight' has 12 bytes, where 16 are needed"; \
  return 0;
#include "last_error.h"
