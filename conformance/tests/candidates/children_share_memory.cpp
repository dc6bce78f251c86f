// Has much memory and children that only look at it: together no more than it has alone.
#include <sys/wait.h>
#include <unistd.h>

#include "candidate.h"

// TSan would keep a record of each access, larger than what is accessed, and in each child its own.
#define NO_RECORD __attribute__((no_sanitize("thread")))

NO_RECORD static void fill(volatile char* block, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 1024) block[i] = 1;
}

NO_RECORD static bool is_filled(const volatile char* block, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 1024) {
    if (block[i] != 1) return false;
  }
  return true;
}

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  constexpr size_t bytes = 32 << 20;
  char* block = static_cast<char*>(malloc(bytes));
  if (block == nullptr) abort();
  fill(block, bytes);
  for (int i = 0; i < 8; ++i) {
    if (fork() != 0) continue;
    usleep(300000);
    _exit(is_filled(block, bytes) ? 0 : 1);
  }
  while (wait(nullptr) > 0) {
  }
  free(block);
  *out = 2;
  return 0;
}
