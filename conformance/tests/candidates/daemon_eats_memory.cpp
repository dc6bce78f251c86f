// Allocates and touches memory without end, in a process that has left its session and its parent.
#include <unistd.h>

#include <cstring>

#include "candidate.h"

static void* volatile last;  // or the compiler leaves the allocations out

static void eat() {
  for (;;) {
    void* block = malloc(1 << 20);
    if (block == nullptr) _exit(0);
    memset(block, 1, 1 << 20);
    last = block;
  }
}

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) eat();
    _exit(0);
  }
  for (;;) pause();
}
