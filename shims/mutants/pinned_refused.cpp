// clause: TENSOR.pinned-pageable
// Allowed, but seen: without an accelerator there is no pinned memory.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided_pinned(int64_t, const int64_t*, const int64_t*, int32_t,
                                               int32_t, int32_t, AtenTensorHandle*) {
  return 1;
}
