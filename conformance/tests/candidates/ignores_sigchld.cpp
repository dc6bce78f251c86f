// Ignores SIGCHLD at load, which would take a child's status away.
#include <signal.h>

#include "candidate.h"

AT_LOAD { signal(SIGCHLD, SIG_IGN); }
