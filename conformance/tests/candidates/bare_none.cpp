// Exports no shim at all.
#include "candidate.h"

extern "C" EXPORTED int something_else() { return 0; }
