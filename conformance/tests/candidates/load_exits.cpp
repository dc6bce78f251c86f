// Ends the process while it is loaded.
#include "candidate.h"

AT_LOAD { exit(7); }
