// Aborts in a shim, with a last word on stderr.
#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  fprintf(stderr, "first line\nlast words\n");
  abort();
}
