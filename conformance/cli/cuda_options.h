// The command line's options about CUDA, and what they make of a candidate.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "report/report.h"
#include "runner/run.h"

namespace aoti_cts::cli {

struct CudaCommand {
  int virtual_devices = 0;  ///< 0: none
  std::string device;       ///< "real" or empty
  std::string faults;
  bool asked() const { return virtual_devices > 0 || !device.empty(); }
};

void add_cuda_options(CLI::App& app, CudaCommand& command);

/// Throws UsageError for options that do not go together, and for faults that mean nothing.
void check_cuda_usage(const CudaCommand& command);

/// Chooses the libcudart for the candidate, and notes in the report what it can do with none.
void apply_cuda(const CudaCommand& command, runner::Candidate& candidate, Report& report);

/// On a real device a context is dear: lets cases share processes.
void share_processes(const CudaCommand& command, runner::RunOptions& options);

}  // namespace aoti_cts::cli
