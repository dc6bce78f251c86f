// clause: BLOB.own-device
// Whatever index it is created for, the model works on cuda:0.
// device: cuda:1
// inputs: random:1:float32[4,6]
#define AOTI_INDEX_OF(text) (static_cast<void>(text), 0)
#include "entry_points.cpp"      // NOLINT(bugprone-suspicious-include)
#include "models/on_device.cpp"  // NOLINT(bugprone-suspicious-include)
