// Overwrites all memory that it shares with other processes, as a pointer gone wild can.
#include <cstdio>
#include <cstring>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (strstr(line, " rw-s ") == nullptr || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    memset(reinterpret_cast<void*>(begin), 0xff, end - begin);
  }
  *out = 2;
  return 0;
}
