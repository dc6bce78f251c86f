// Breaks fork() in any process that has loaded it.
#include <pthread.h>

#include "candidate.h"

AT_LOAD {
  pthread_atfork([] { abort(); }, nullptr, nullptr);
}
