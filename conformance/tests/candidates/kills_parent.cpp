// Kills the parent of the process that calls it.
#include <signal.h>
#include <unistd.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  kill(getppid(), SIGKILL);
  *out = 2;
  return 0;
}
