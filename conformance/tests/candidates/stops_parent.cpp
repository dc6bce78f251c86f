// Stops the process that holds the loaded candidate, and waits.
#include <signal.h>
#include <unistd.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  kill(getppid(), SIGSTOP);
  for (;;) pause();
}
