// What a report says about CUDA beside the cases: whether a device was there at all, and whether
// the faults that were to be injected struck.
#pragma once

#include "report/report.h"
#include "runner/cuda.h"

namespace aoti_cts::runner {

/// A tool error where the real device was asked for and there is none, and a warning where no case
/// that needs a device was judged.
void note_unverified(Report& report, const CudaOptions& cuda);

/// Says of each failed case that a fault struck in it, and in a note how often each fault did.
void note_faults(Report& report, const CudaOptions& cuda);

}  // namespace aoti_cts::runner
