// Throws from its initialiser.
#include "candidate.h"

AT_LOAD { throw std::runtime_error("not today"); }
