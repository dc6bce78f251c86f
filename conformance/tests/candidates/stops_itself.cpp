// Stops its process, which is no end of it.
#include <signal.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  raise(SIGSTOP);
  for (;;) {
  }
}
