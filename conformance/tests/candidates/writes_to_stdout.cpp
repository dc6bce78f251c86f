// Writes a report of its own to stdout, and a lot of it.
#include <unistd.h>

#include <string>

#include "candidate.h"

AT_LOAD {
  printf("{\"schema_version\": 99}\n");
  fflush(stdout);
}

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  const std::string text(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) {
    if (write(STDOUT_FILENO, text.data(), text.size()) < 0) return 1;
  }
  puts("{\"schema_version\": 99, \"results\": []}");
  fflush(stdout);
  *out = 2;
  return 0;
}
