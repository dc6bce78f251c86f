// Crashes in a MAY clause, which never fails.
#include "candidate.h"

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle, int64_t*) { abort(); }
