// Installs handlers at load that hide a crash, and then crashes.
#include <signal.h>
#include <unistd.h>

#include "candidate.h"

AT_LOAD {
  for (int i = 1; i < NSIG; ++i) signal(i, [](int) { _exit(0); });
  signal(SIGCHLD, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
}

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  *static_cast<volatile int*>(nullptr) = 1;
  return 0;
}
