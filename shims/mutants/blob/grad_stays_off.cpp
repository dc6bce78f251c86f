// clause: BLOB.grad-restored
// Grad mode cannot be turned on again after a model turned it off: allowed, but not restored.
#include "mutants/grad_true_refused.cpp"  // NOLINT(bugprone-suspicious-include)
