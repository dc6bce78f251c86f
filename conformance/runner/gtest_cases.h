// The suite's cases as GoogleTest tests: registration, the check that nobody else registered any,
// and running exactly one of them in a child.
#pragma once

#include <aoti_shim/table.h>

#include <string>
#include <vector>

#include "runner/cuda.h"
#include "runner/shared.h"
#include "suite/case.h"

namespace aoti_cts::runner {

/// Registers the cases with GoogleTest and takes its output and environment away. Call once. The
/// rows must live as long as the process.
void register_cases(const std::vector<const suite::CaseRow*>& cases);

/// Tests that GoogleTest knows and that are none of `cases`, as "Suite.test".
std::vector<std::string> foreign_tests(const std::vector<const suite::CaseRow*>& cases);

/// Runs one case here and leaves everything it has to say in `out`, Phase::Done included.
void run_case(const suite::CaseRow& row, const AotiShimTable& table, const CudaOptions& cuda,
              SharedCase& out);

}  // namespace aoti_cts::runner
