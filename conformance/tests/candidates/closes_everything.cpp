// Closes every descriptor, at load and in a shim.
#include <unistd.h>

#include "candidate.h"

static void close_all() {
  for (int fd = 0; fd < 4096; ++fd) close(fd);
}

AT_LOAD { close_all(); }

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  close_all();
  *out = 2;
  return 0;
}
