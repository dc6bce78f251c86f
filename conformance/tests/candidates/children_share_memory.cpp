// Has much memory and children that only look at it: together no more than it has alone.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  constexpr size_t bytes = 32 << 20;
  void* block = malloc(bytes);
  if (block == nullptr) abort();
  memset(block, 1, bytes);
  for (int i = 0; i < 8; ++i) {
    if (fork() != 0) continue;
    usleep(300000);
    _exit(memchr(block, 0, bytes) == nullptr ? 0 : 1);
  }
  while (wait(nullptr) > 0) {
  }
  free(block);
  *out = 2;
  return 0;
}
