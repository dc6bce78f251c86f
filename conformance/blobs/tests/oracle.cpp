// Another runtime's shims as --against, over the reference's others: what an oracle does wrong is
// told of the oracle, and costs the candidate nothing.
#include <aoti_shim/shim.h>

#include <cstdlib>
#include <cstring>

static void* volatile last;  // or the compiler leaves the allocations out

AOTITorchError aoti_torch_empty_strided(int64_t, const int64_t*, const int64_t*, int32_t, int32_t,
                                        int32_t, AtenTensorHandle*) {
  for (;;) {
    void* block = malloc(1 << 20);
    if (block == nullptr) abort();
    memset(block, 1, 1 << 20);
    last = block;
  }
}

AOTITorchError aoti_torch_clone(AtenTensorHandle, AtenTensorHandle*) { abort(); }
