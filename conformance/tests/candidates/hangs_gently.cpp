// Says that it is in a shim and then takes its time, but not for ever.
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  std::ofstream(getenv("AOTI_TEST_STATE")) << getpid();
  sleep(20);
  return 0;
}
