// Changes the environment at load, as one that has settings of its own might.
#include "candidate.h"

AT_LOAD { setenv("TMPDIR", "/no/such/folder", 1); }
