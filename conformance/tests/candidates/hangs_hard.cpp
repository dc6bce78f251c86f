// Blocks all signals, ignores what it can and spins.
#include <signal.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  for (int i = 1; i < NSIG; ++i) signal(i, SIG_IGN);
  volatile bool forever = true;
  while (forever) {
  }
  return 0;
}
