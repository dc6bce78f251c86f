// Ends its process by exit(), behind which its own exit handlers would do something else.
#include "candidate.h"

static const int registered = atexit(abort);

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) { exit(registered == 0 ? 7 : 8); }
