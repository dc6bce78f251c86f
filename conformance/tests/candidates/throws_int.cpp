// Throws something that is no std::exception.
#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) { throw 42; }
