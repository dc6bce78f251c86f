// See cuda_notes.h.
#include "runner/cuda_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

#include "virtual_cuda/faults.h"

namespace aoti_cts::runner {
namespace {

// Functions that runtimes take for one another: whose fault never struck may mean another of these.
constexpr std::array<std::string_view, 6> kinds[] = {
    {{"cudaMalloc", "cudaMallocAsync", "cudaMallocFromPoolAsync", "cudaMallocPitch",
      "cudaMallocManaged"}},
    {{"cudaFree", "cudaFreeAsync"}},
    {{"cudaHostAlloc", "cudaMallocHost", "cudaHostRegister"}},
    {{"cudaFreeHost", "cudaHostUnregister"}},
    {{"cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cudaMemcpy2D",
      "cudaMemcpy2DAsync"}},
    {{"cudaMemset", "cudaMemsetAsync"}},
    {{"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
      "cudaStreamWaitEvent", "cudaStreamQuery", "cudaEventQuery"}},
    {{"cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority"}},
    {{"cudaEventCreate", "cudaEventCreateWithFlags"}},
    {{"cudaEventRecord", "cudaEventRecordWithFlags"}},
    {{"cudaSetDevice", "cudaInitDevice"}},
    {{"cudaGetDevice", "cudaGetDeviceCount", "cudaPointerGetAttributes"}},
    {{"cudaGetDeviceProperties", "cudaGetDeviceProperties_v2", "cudaDeviceGetAttribute"}},
    {{"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel",
      "__cudaLaunchKernel"}},
};

struct Calls {
  int64_t all = 0;
  int64_t most = 0;  ///< in one case
};

std::map<std::string, Calls> count_calls(const Report& report) {
  std::map<std::string, Calls> calls;
  for (const ClauseResult& result : report.results) {
    for (const CaseResult& row : result.cases) {
      for (const auto& [name, count] : row.cuda_calls) {
        Calls& sum = calls[name];
        sum.all += count;
        sum.most = std::max(sum.most, count);
      }
    }
  }
  return calls;
}

std::string relatives(const std::string& function, const std::map<std::string, Calls>& calls) {
  const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& names) {
    return std::find(names.begin(), names.end(), function) != names.end();
  });
  if (kind == std::end(kinds)) return "";
  std::vector<std::string> others;
  for (const std::string_view name : *kind) {
    const auto found = calls.find(std::string(name));
    if (found != calls.end()) {
      others.push_back(fmt::format("{} ({} calls)", name, found->second.all));
    }
  }
  if (others.empty()) return ", and nothing of its kind either";
  return fmt::format("; of its kind the candidate calls {}", fmt::join(others, ", "));
}

/// Why a fault struck nowhere.
std::string why_never(const vcuda::Fault& fault, const std::map<std::string, Calls>& calls) {
  if (fault.function == "*") {
    return fmt::format("no case's shims made {} call(s) of CUDA", fault.call);
  }
  const auto found = calls.find(fault.function);
  if (found == calls.end()) {
    return fault.function + " was never called" + relatives(fault.function, calls);
  }
  return fmt::format("{} was called {} time(s), at most {} in one case", fault.function,
                     found->second.all, found->second.most);
}

/// Whether `struck`, of one case, has this fault.
bool has_struck(const std::string& struck, const vcuda::Fault& fault) {
  const std::string text =
      fault.function == "*"
          ? fmt::format(" call {} of any function, with code {} ", fault.call, fault.code)
          : fmt::format("{} call {} with code {} ", fault.function, fault.call, fault.code);
  return struck.find(text) != std::string::npos;
}

/// Whether the clause's cases need a device: names are read without one, and what a machine without
/// a device owes can be judged on it.
bool needs_device(const Clause& clause) {
  return is_cuda_profile(clause.profile) && clause.section != "SYM" &&
         clause.id.rfind("DEV.no-device", 0) != 0;
}

// What an injected fault brought about is not what the candidate does by itself.
void name_in_case(CaseResult& row) {
  if (row.struck.empty() || !is_failure(row.verdict)) return;
  if (!row.detail.empty()) row.detail += "; ";
  row.detail += "an injected fault struck here: " + row.struck;
}

}  // namespace

void note_unverified(Report& report, const CudaOptions& cuda) {
  if (cuda.mode == CudaMode::None) return;
  const char* asked = cuda.mode == CudaMode::Real ? "--cuda real" : "--virtual-cuda";
  const CaseResult* skipped = nullptr;
  for (const ClauseResult& result : report.results) {
    if (!needs_device(*result.clause)) continue;
    for (const CaseResult& row : result.cases) {
      if (row.verdict != Verdict::Skip) return;
      if (skipped == nullptr) skipped = &row;
    }
  }
  if (skipped == nullptr) {
    if (cuda.mode == CudaMode::Real) {
      report.notes.push_back(
          "warning: --cuda real: no case that needs a device was chosen: --profile cuda has them");
    }
    return;
  }
  std::string why = skipped->detail;
  std::replace(why.begin(), why.end(), '\n', ' ');
  if (cuda.mode == CudaMode::Real && why.rfind("no CUDA device", 0) == 0) {
    report.tool_errors.push_back(fmt::format("{}: {}", asked, why));
  } else {
    report.notes.push_back(
        fmt::format("warning: {}: nothing that needs a device was verified: {}", asked, why));
  }
}

void note_faults(Report& report, const CudaOptions& cuda) {
  std::vector<vcuda::Fault> faults;
  if (cuda.faults.empty() || !vcuda::parse_faults(cuda.faults, faults).empty()) return;
  const auto calls = count_calls(report);
  for (const vcuda::Fault& fault : faults) {
    int64_t ran = 0;
    int64_t struck = 0;
    for (const ClauseResult& result : report.results) {
      if (result.clause->judge == Judge::Load) continue;
      for (const CaseResult& row : result.cases) {
        ran += row.verdict == Verdict::Skip ? 0 : 1;
        struck += has_struck(row.struck, fault) ? 1 : 0;
      }
    }
    const std::string name =
        fmt::format("--cuda-fault {}:{}:{}", fault.function, fault.call, fault.code);
    // A fault that never struck proves nothing about the candidate, however green the report.
    report.notes.push_back(struck > 0
                               ? fmt::format("{}: struck in {} of {} case(s)", name, struck, ran)
                               : fmt::format("warning: {} struck in none of {} case(s): {}", name,
                                             ran, why_never(fault, calls)));
  }
  for (ClauseResult& result : report.results) {
    for (CaseResult& row : result.cases) name_in_case(row);
  }
}

}  // namespace aoti_cts::runner
