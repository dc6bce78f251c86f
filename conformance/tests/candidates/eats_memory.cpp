// Allocates and touches memory without end.
#include <cstring>

#include "candidate.h"

static void* volatile last;  // or the compiler leaves the allocations out

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  for (;;) {
    void* block = malloc(1 << 20);
    if (block == nullptr) abort();
    memset(block, 1, 1 << 20);
    last = block;
  }
}
