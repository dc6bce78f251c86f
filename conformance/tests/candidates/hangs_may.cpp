// Hangs in a MAY clause: that is none of its answers.
#include <unistd.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle, int64_t*) {
  for (;;) pause();
}
