// Recurses until the stack ends.
#include "candidate.h"

static int recurse(volatile int* depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(*depth);
  *depth = *depth + 1;
  return *depth < 0 ? 0 : recurse(depth) + frame[0];
}

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  volatile int depth = 0;
  return recurse(&depth);
}
