/* A model whose container cannot be made, and which cannot say why either. */
#define LAST_ERROR \
  (void)text;      \
  return 1;
#include "last_error.h"
