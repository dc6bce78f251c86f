// clause: TENSOR.grad-refuse
// Allowed, but seen: grad mode cannot be turned on again.
#include "mutants/mutant.h"

void aoti_torch_grad_mode_set_enabled(bool enabled) {
  if (!enabled) ref_aoti_torch_grad_mode_set_enabled(false);
}
