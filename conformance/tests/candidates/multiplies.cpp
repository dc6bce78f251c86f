// Forks children that stay: more than a case may have, and an end to them by themselves.
#include <unistd.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  for (int i = 0; i < 600; ++i) {
    if (fork() != 0) continue;
    sleep(20);
    _exit(0);
  }
  sleep(20);
  return 0;
}
