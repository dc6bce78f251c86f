// Crashes in the first process that calls it, and in no later one.
#include <fcntl.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  if (open(getenv("AOTI_TEST_STATE"), O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0) abort();
  *out = 2;
  return 0;
}
