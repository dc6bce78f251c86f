// Ends the process at once, with a code of its own.
#include <unistd.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) { _exit(42); }
