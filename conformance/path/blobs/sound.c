/* A model that loads. */
#define CREATE_CODE 0
#include "entry_points.h"
