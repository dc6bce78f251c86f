// clause: BLOB.check-fails
// A failed check prints and goes on: TENSOR.check's fault, seen by a model.
#include "mutants/check_false_returns.cpp"  // NOLINT(bugprone-suspicious-include)
