// Loses memory in a shim. Only AddressSanitizer builds of ours can tell, and only when asked to.
#include "candidate.h"

static void* volatile last;  // or the compiler leaves the allocation out

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  for (int i = 0; i < 100; ++i) last = malloc(1000);
  last = nullptr;
  *out = 2;
  return 0;
}
