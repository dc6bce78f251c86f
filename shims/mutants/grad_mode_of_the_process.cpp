// clause: TENSOR.grad-mode
// Grad mode is one flag for all threads.
#include <atomic>

#include "mutants/mutant.h"

namespace {
std::atomic<bool> enabled{true};
}

bool aoti_torch_grad_mode_is_enabled(void) { return enabled; }
void aoti_torch_grad_mode_set_enabled(bool value) { enabled = value; }
