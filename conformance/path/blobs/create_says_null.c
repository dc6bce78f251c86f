/* A model whose container cannot be made, and whose reason is no text. */
#define LAST_ERROR \
  *text = NULL;    \
  return 0;
#include "last_error.h"
