// Built for AddressSanitizer, which a plain process cannot load.
#include "candidate.h"
