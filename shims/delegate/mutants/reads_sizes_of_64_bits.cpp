// clause: DELEGATE.tensor-mode
// The sizes of a portable tensor of rank 3 are read as at::Tensor has them, 64 bits each.
#include "delegate/mutants/mutant.h"

namespace {
struct Wide : Steps {
  Seen see(const Tensors& tensors, const void* argument) override {
    Seen seen = tensors.see(argument);
    if (seen.sizes.size() == 3)
      seen.sizes = {seen.sizes[0] | seen.sizes[1] << 32u, seen.sizes[2], 0};
    return seen;
  }
};
}  // namespace

AOTI_DELEGATE_MUTANT(Wide)
