// Allocates and touches memory without end, in a child that it waits for.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "candidate.h"

static void* volatile last;  // or the compiler leaves the allocations out

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  const pid_t child = fork();
  if (child != 0) return waitpid(child, nullptr, 0) == child ? 0 : 1;
  for (;;) {
    void* block = malloc(1 << 20);
    if (block == nullptr) abort();
    memset(block, 1, 1 << 20);
    last = block;
  }
}
