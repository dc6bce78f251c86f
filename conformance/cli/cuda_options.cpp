// See cuda_options.h.
#include "cli/cuda_options.h"

#include <fmt/format.h>

#include "cli/subcommand.h"
#include "symbols/input.h"
#include "virtual_cuda/faults.h"

namespace aoti_cts::cli {

void add_cuda_options(CLI::App& app, CudaCommand& command) {
  app.add_flag("--virtual-cuda{2}", command.virtual_devices,
               "Give the candidate a virtual CUDA device: 1-8 of them (2)")
      ->check(CLI::Range(1, 8));
  app.add_option("--cuda", command.device, "real: let it use this machine's CUDA devices")
      ->check(CLI::IsMember({"real"}));
  app.add_option(
      "--cuda-fault", command.faults,
      "Make a CUDA call fail, as in cudaMallocAsync:3:2 (its third call in a case, code 2; "
      "comma list)");
}

void check_cuda_usage(const CudaCommand& command) {
  if (command.virtual_devices > 0 && !command.device.empty()) {
    throw UsageError("--virtual-cuda and --cuda real exclude each other");
  }
  if (command.faults.empty()) return;
  if (command.virtual_devices == 0) throw UsageError("--cuda-fault needs --virtual-cuda");
  std::vector<vcuda::Fault> faults;
  const std::string problem = vcuda::parse_faults(command.faults, faults);
  if (!problem.empty()) throw UsageError("--cuda-fault: " + problem);
}

void apply_cuda(const CudaCommand& command, runner::Candidate& candidate, Report& report) {
  if (!command.asked()) return;
  runner::CudaOptions& cuda = candidate.cuda;
  if (!command.device.empty()) {
    cuda.mode = runner::CudaMode::Real;
    return;
  }
  cuda.mode = runner::CudaMode::Virtual;
  cuda.devices = command.virtual_devices;
  cuda.faults = command.faults;
  runner::CudaImports imports;
  try {
    imports = runner::read_imports(candidate.paths);
  } catch (const symbols::BadFile& error) {
    // The loader may take what cannot be read, and is asked anyway.
    report.notes.push_back(
        fmt::format("what the candidate imports from CUDA cannot be read, and the virtual device "
                    "that it gets is that of CUDA 13: {}",
                    error.what()));
  }
  cuda.library = runner::virtual_library(imports.version == 0 ? 13 : imports.version);
  if (imports.is_static) {
    cuda.missing =
        "the candidate links libcudart statically: no virtual device can stand in for it";
    report.notes.push_back(cuda.missing);
  }
  if (!imports.absent.empty()) {
    report.notes.push_back(
        fmt::format("the candidate needs CUDA functions that the virtual device "
                    "lacks: {}",
                    fmt::join(imports.absent, ", ")));
  }
}

void share_processes(const CudaCommand& command, runner::RunOptions& options) {
  if (command.device.empty()) return;
  options.may_share = [](const suite::CaseRow& row) {
    // To have no device has to be arranged before anyone looks for one, and a full one before the
    // candidate has memory that it keeps.
    return is_cuda_profile(find_clause(row.clause)->profile) &&
           row.clause.rfind("DEV.no-device", 0) != 0 && row.clause != "DEV.alloc-failure";
  };
}

}  // namespace aoti_cts::cli
