/* A model that loads, and leaves the device string that its container was made with in the
 * environment, where a case reads it. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#define CREATE_CODE setenv("AOTI_CTS_MODEL_DEVICE", device, 1)
#include "entry_points.h"
