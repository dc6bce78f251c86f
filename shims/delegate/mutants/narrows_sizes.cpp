// clause: DELEGATE.resize-narrow
// Sizes that come back from the model are cut to 32 bits, and not judged before.
#include "delegate/mutants/mutant.h"

namespace {
struct Narrow : Steps {
  std::vector<int64_t> output_sizes(std::vector<int64_t> sizes) override {
    for (int64_t& size : sizes) size = static_cast<int32_t>(size);
    return sizes;
  }
};
}  // namespace

AOTI_DELEGATE_MUTANT(Narrow)
