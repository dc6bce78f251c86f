// clause: DELEGATE.device-input
// An input on the device is copied, and the model gets the copy on the host.
#include "delegate/mutants/mutant.h"

namespace {
struct Copies : Steps {
  Seen input(const Runtime& runtime, Seen seen, const std::string& /*device*/) override {
    if (seen.device_type == 0) return seen;
    const AotiShimTable& shims = runtime.shims();
    Handles both(runtime, 2);
    both.slots[0] = runtime.borrow(seen);
    memory_.emplace_back(seen.bytes);
    seen.device_type = 0;
    seen.device_index = 0;
    seen.data = memory_.back().data();
    both.slots[1] = runtime.borrow(seen);
    Runtime::check(shims.aoti_torch_copy_(both.slots[1], both.slots[0], 0), "copy_");
    return seen;
  }

 private:
  std::vector<std::vector<std::byte>> memory_;
};
}  // namespace

AOTI_DELEGATE_MUTANT(Copies)
