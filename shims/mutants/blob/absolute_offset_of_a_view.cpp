// clause: BLOB.runs
// The offset of a view counts from the storage's start: VIEW.offset-adds' fault, seen by a model.
#include "mutants/reinterpret_absolute_offset.cpp"  // NOLINT(bugprone-suspicious-include)
