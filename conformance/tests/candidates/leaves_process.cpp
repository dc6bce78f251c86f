// Leaves a process running in a session of its own and says which.
#include <signal.h>
#include <unistd.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  int ready[2];
  if (pipe(ready) != 0) return 1;
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    FILE* file = fopen(getenv("AOTI_TEST_STATE"), "w");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  *out = read(ready[0], &byte, 1) == 1 ? 2 : 0;
  return 0;
}
