// Crashes in a SHOULD clause only.
#include "candidate.h"

AOTITorchError aoti_torch_get_numel(AtenTensorHandle, int64_t*) { abort(); }
