// clause: TENSOR.grad-new-thread
// Allowed, but seen: threads other than the first start with grad mode off.
#include <unistd.h>

#include "mutants/mutant.h"

namespace {
thread_local bool enabled = gettid() == getpid();
}

bool aoti_torch_grad_mode_is_enabled(void) { return enabled; }
void aoti_torch_grad_mode_set_enabled(bool value) { enabled = value; }
