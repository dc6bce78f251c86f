/* A model whose container cannot be made. */
#define CREATE_CODE 1
#include "entry_points.h"
