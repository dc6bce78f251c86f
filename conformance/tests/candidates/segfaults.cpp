// Writes through a null pointer in a shim.
#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  *static_cast<volatile int*>(nullptr) = 1;
  return 0;
}
