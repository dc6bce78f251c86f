// Stops the process that loads it.
#include <signal.h>

#include "candidate.h"

AT_LOAD { raise(SIGSTOP); }
