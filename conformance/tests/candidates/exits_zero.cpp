// Ends the process with success from inside a shim.
#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) { exit(0); }
