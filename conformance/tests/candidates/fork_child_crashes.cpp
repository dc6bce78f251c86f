// Breaks the child of any fork() in a process that has loaded it.
#include <pthread.h>

#include "candidate.h"

AT_LOAD {
  pthread_atfork(nullptr, nullptr, [] { abort(); });
}
