// Throws a std::exception through the C boundary.
#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  throw std::runtime_error("out of cheese");
}
