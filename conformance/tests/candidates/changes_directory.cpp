// Changes directory and file mode mask, at load and in a shim.
#include <sys/stat.h>
#include <unistd.h>

#include "candidate.h"

static int move() {
  umask(0777);
  return chdir("/proc");
}

AT_LOAD {
  if (move() != 0) abort();
}

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  *out = move() == 0 ? 2 : 0;
  return 0;
}
