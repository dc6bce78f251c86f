// Ends the calling thread from inside a shim.
#include <pthread.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) { pthread_exit(nullptr); }
