// Crashes in a MAY clause, none of whose answers is a failure; a crash is no answer.
#include "candidate.h"

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle, int64_t*) { abort(); }
