// clause: BLOB.grad-restored
// Grad mode starts on, and cannot be turned on again after a model turned it off.
#include "mutants/mutant.h"

void aoti_torch_grad_mode_set_enabled(bool enabled) {
  if (!enabled) ref_aoti_torch_grad_mode_set_enabled(false);
}
