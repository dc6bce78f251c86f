// DEV.call-failure: each CUDA call of each case of the CUDA profiles fails once.
//
// Run alone: aoti-cts check --virtual-cuda --profile cuda --select DEV.call-failure; success prints
// one PASS line.
//
// The bodies of the other clauses serve as scenarios. A body runs over and over in one process, the
// first time with the first CUDA call that any shim makes failing, then with the second, until one
// run sees no failure. What the body itself has to say is not heard: judged is the one shim in
// which the call failed, and there the body ends.
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "suite/cuda.h"

namespace aoti_cts::suite {
namespace {

constexpr unsigned injected_code = cu::cudaErrorUnknown;
constexpr int max_calls = 1000;

/// Stands between a body and the real sink.
class SweepSink final : public Sink {
 public:
  SweepSink(Case& c, const cu::Table& device) : case_(c), device_(device) {}

  void assertion() override {}
  void failure(std::string_view, std::string_view, std::string_view) override {}
  void saw(std::string_view) override {}
  void skip(std::string_view) override {}

  void calling(const char* shim) override {
    if (!over_) {
      shim_ = shim;
      struck_ = device_.faults_struck();
      first_call_ = device_.call_count() + 1;
      device_.get_live(-1, &live_);
      device_.cudaGetDevice(&current_);
    }
    case_.sink().calling(shim);
  }

  void returned() override { case_.sink().returned(); }

  void code(AOTITorchError code) override {
    if (over_ || device_.faults_struck() == struck_) return;
    over_ = true;
    judge(code);
    // Deletes are made in destructors, which must not throw; their bodies end soon anyway.
    if (std::string_view(shim_).find("_delete_") == std::string_view::npos) throw EndCase{};
  }

 private:
  /// The call that failed, and whether the shim made it again with success.
  std::string failed_call(bool& recovered) const {
    std::string failed;
    aoti_cts_vcuda_call call;
    for (uint64_t number = first_call_; device_.get_call(number, &call) == 0; ++number) {
      if (call.injected != 0) {
        failed = call.function;
      } else if (failed == call.function && call.error == 0 && call.shim[0] != '\0') {
        recovered = true;
      }
    }
    return failed;
  }

  void judge(AOTITorchError code) {
    bool recovered = false;
    const std::string call = failed_call(recovered);
    const std::string what = fmt::format("{} while {} fails", shim_, call);
    if (code == 0) {
      // Pinned memory may be pageable where CUDA does not give any.
      const bool allowed =
          recovered || std::string_view(shim_) == "aoti_torch_empty_strided_pinned";
      if (allowed) return;
      return case_.fail(what, "success", "an error code, or the call made again with success");
    }
    aoti_cts_vcuda_live after{};
    device_.get_live(-1, &after);
    int current = -1;
    device_.cudaGetDevice(&current);
    // To put the device back is what the delete of a guard is for, also of one that then complains.
    const bool restores = std::string_view(shim_).find("_delete_cuda") != std::string_view::npos;
    case_.judge(restores || current == current_, true,
                fmt::format("{}: current device {} is what it was, {}", what, current, current_));
    const auto held = [&](int64_t now, int64_t before, const char* kind) {
      if (now > before) {
        case_.fail(fmt::format("{}: {} alive", what, kind), show(now),
                   fmt::format("{} as before, or fewer", before));
      }
    };
    held(after.device_allocations, live_.device_allocations, "device allocations");
    held(after.pinned_allocations, live_.pinned_allocations, "pinned allocations");
  }

  Case& case_;
  const cu::Table& device_;
  const char* shim_ = "";
  int struck_ = 0;
  uint64_t first_call_ = 0;
  aoti_cts_vcuda_live live_{};
  int current_ = 0;
  bool over_ = false;
};

/// Counts what a body has to complain about.
class CountingSink final : public Sink {
 public:
  void assertion() override {}
  void failure(std::string_view, std::string_view, std::string_view) override { ++failures; }
  void saw(std::string_view) override {}
  void skip(std::string_view) override {}
  void calling(const char*) override {}
  void returned() override {}
  int failures = 0;
};

/// Whether the scenario holds as long as nothing fails. Tried in a copy of this process, since it
/// may well end it.
bool holds_alone(const Case& c, const cu::Table& device, const CaseRow& row) {
  const pid_t copy = fork();
  if (copy == 0) {
    device.observe(nullptr, nullptr);
    const size_t findings = device.finding_count();
    CountingSink sink;
    Case inner(c.table(), sink);
    try {
      row.body(inner);
    } catch (const EndCase&) {
    }
    _exit(sink.failures == 0 && device.finding_count() == findings ? 0 : 1);
  }
  int status = -1;
  return copy > 0 && waitpid(copy, &status, 0) == copy && status == 0;
}

/// True when a call failed, so that there may be more of them.
bool run_with_failure(Case& c, const cu::Table& device, const CaseRow& row, int call) {
  const std::string fault = fmt::format("*:{}:{}", call, injected_code);
  NEED(device.fault(fault.c_str(), nullptr, 0), 0);
  device.fault_inside_only(1);
  SweepSink sink(c, device);
  Case inner(c.table(), sink);
  try {
    row.body(inner);
  } catch (const EndCase&) {
  }
  const bool struck = device.faults_struck() > 0;
  device.fault(nullptr, nullptr, 0);
  device.cudaDeviceSynchronize();
  device.cudaSetDevice(0);
  return struck;
}

void sweep(Case& c, const CaseRow& row) {
  const cu::Table& device = virtual_cuda(c);
  if (!holds_alone(c, device, row)) c.skip("the case does not hold even while no call fails");
  int call = 1;
  while (call <= max_calls && run_with_failure(c, device, row, call)) ++call;
  HAVE_WANT_AS("calls of the case that were made to fail, at most 1000", call <= max_calls, true);
}

struct Source {
  const char* section;
  const char* name;
  const char* profile;
  void (*fill)(CaseList&);
};

constexpr Source sources[] = {
#define AOTI_CASES_run(section, name, profile) \
  {#section, #name, #profile, &clause::section##_##name},
#define AOTI_CASES_both(section, name, profile) AOTI_CASES_run(section, name, profile)
#define AOTI_CASES_load(section, name, profile)
#define AOTI_CASES_symbols(section, name, profile)
#define AOTI_CASES_planned(section, name, profile)
#define AOTI_CLAUSE(judge, section, name, level, profile, since, source, sentence) \
  AOTI_CASES_##judge(section, name, profile)
#include "clauses.def"
#undef AOTI_CLAUSE
#undef AOTI_CASES_run
#undef AOTI_CASES_both
#undef AOTI_CASES_load
#undef AOTI_CASES_symbols
#undef AOTI_CASES_planned
};

/// Those that take the device away or fill it up leave a failing call nothing to show.
bool is_scenario(const Source& source) {
  const std::string_view profile = source.profile;
  const std::string_view name = source.name;
  return (profile == "cuda" || profile == "cuda_ops") && name != "no_device_guard" &&
         name != "alloc_failure" && name != "call_failure";
}

}  // namespace

CLAUSE_CASES(DEV, call_failure) {
  for (const Source& source : sources) {
    if (!is_scenario(source)) continue;
    CaseList scenarios("");
    source.fill(scenarios);
    for (const CaseRow& row : scenarios.rows()) {
      cases.add(fmt::format("{}_{}_{}", source.section, source.name, row.name),
                [row](Case& c) { sweep(c, row); });
    }
  }
}

}  // namespace aoti_cts::suite
