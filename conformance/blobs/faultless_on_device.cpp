// What mutant blobs for a CUDA device are compared with: the fixture model, as a user's blob.
#include "entry_points.cpp"      // NOLINT(bugprone-suspicious-include)
#include "models/on_device.cpp"  // NOLINT(bugprone-suspicious-include)
