// clause: OPS.randint-low-out
// randint_low_out gives high, too.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_cuda_randint_low_out(AtenTensorHandle out, int64_t low, int64_t high,
                                               const int64_t* size, int64_t size_len_) {
  return ref_aoti_torch_cuda_randint_low_out(out, low, high + 1, size, size_len_);
}
