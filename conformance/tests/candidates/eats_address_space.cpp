// Reserves far more address space than it uses, which is no offence.
#include <sys/mman.h>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  void* area =
      mmap(nullptr, size_t{1} << 36, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *out = area == MAP_FAILED ? 0 : 2;
  return 0;
}
