// DEV.call-failure: each CUDA call of each case of the CUDA profiles fails once.
//
// Run alone: aoti-cts check --virtual-cuda --profile cuda --select DEV.call-failure; success prints
// one PASS line.
//
// The bodies of the other clauses serve as scenarios. A body runs in a fresh copy of this process
// for each CUDA call that its shims make: the first time the first call fails, then the second,
// until one run sees no failure. What the body itself has to say is not heard: judged is the one
// shim in which the call failed, and there the body ends.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "suite/clause.h"
#include "suite/cuda.h"

namespace aoti_cts::suite {
namespace {

constexpr unsigned injected_code = cu::cudaErrorUnknown;
constexpr int max_calls = 1000;
constexpr int thrown = 86;  // exit code of a copy in which something else than EndCase was thrown

/// What a copy of the process leaves behind.
struct Shared {
  int struck;                  ///< the call was made, and failed
  int complaints;              ///< of the body, or of the judge
  int64_t device_allocations;  ///< alive at the end
  int64_t pinned_allocations;
  char shim[64];   ///< entered last
  char what[200];  ///< the judge's first complaint
  char have[100];
  char want[100];
};

template <std::size_t size>
void put(char (&to)[size], std::string_view text) {
  to[text.copy(to, size - 1)] = '\0';
}

/// Stands where the runner's sink would: in a copy nobody hears that one.
class SweepSink final : public Sink {
 public:
  SweepSink(const cu::Table& device, Shared& shared, bool judging)
      : device_(device), shared_(shared), judging_(judging) {}

  void assertion() override {}
  void failure(std::string_view, std::string_view, std::string_view) override {
    if (!judging_) ++shared_.complaints;
  }
  void saw(std::string_view) override {}
  void skip(std::string_view) override {}

  void calling(const char* shim) override {
    // A shim that returns no code has nothing to be judged by.
    if (device_.faults_struck() > 0) over_ = true;
    if (!over_) {
      shim_ = shim;
      put(shared_.shim, shim);
      first_call_ = device_.call_count() + 1;
      device_.get_live(-1, &live_);
      device_.cudaGetDevice(&current_);
    }
    device_.enter(shim);
  }

  void returned() override { device_.enter(nullptr); }

  void complain(const std::string& what, const std::string& have, std::string_view want) {
    if (shared_.complaints++ > 0) return;
    put(shared_.what, what);
    put(shared_.have, have);
    put(shared_.want, want);
  }

  /// What failed where more was alive after the failing shim than before it; or empty.
  const std::string& suspect() const { return suspect_; }

  void code(AOTITorchError code) override {
    if (over_ || device_.faults_struck() == 0) return;
    over_ = true;
    shared_.struck = 1;
    if (judging_) judge(code);
    // Deletes are made in destructors, which must not throw; their bodies end soon anyway.
    if (shim_.find("_delete_") == std::string_view::npos) throw EndCase{};
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
    const std::string what = fmt::format("{} while {} fails", shim_, failed_call(recovered));
    if (code == 0) {
      // Pinned memory may be pageable where CUDA does not give any.
      if (recovered || shim_ == "aoti_torch_empty_strided_pinned") return;
      return complain(what, "success", "an error code, or the call made again with success");
    }
    aoti_cts_vcuda_live after{};
    device_.get_live(-1, &after);
    int current = -1;
    device_.cudaGetDevice(&current);
    // To put the device back is what the delete of a guard is for, also of one that then complains.
    if (current != current_ && shim_.find("_delete_cuda") == std::string_view::npos) {
      complain(what + ": current device", show(current), show(current_));
    }
    const bool grown = after.device_allocations > live_.device_allocations ||
                       after.pinned_allocations > live_.pinned_allocations;
    if (grown) suspect_ = what;
  }

  const cu::Table& device_;
  Shared& shared_;
  bool judging_;
  std::string_view shim_;
  uint64_t first_call_ = 0;
  aoti_cts_vcuda_live live_{};
  int current_ = 0;
  std::string suspect_;
  bool over_ = false;
};

void run_body(const Case& c, const CaseRow& row, SweepSink& sink) {
  Case inner(c.table(), sink);
  try {
    row.body(inner);
  } catch (const EndCase&) {
  } catch (...) {
    _exit(thrown);  // or this copy would go on in the runner's place
  }
}

/// An allocator may have kept what the failing shim gave back. What it kept serves the same body
/// once more, without a failure, after which no more is alive than where neither run had one; what
/// leaked does not.
void look_for_leak(const Case& c, const cu::Table& device, const CaseRow& row, const Shared& alone,
                   SweepSink& failed, Shared& shared) {
  device.fault(nullptr, nullptr, 0);
  device.cudaSetDevice(0);
  SweepSink silent(device, shared, true);
  run_body(c, row, silent);
  aoti_cts_vcuda_live after{};
  device.get_live(-1, &after);
  const auto held = [&](int64_t now, int64_t before, const char* kind) {
    if (now <= before) return;
    failed.complain(fmt::format("{}: {} alive later", failed.suspect(), kind), show(now),
                    fmt::format("{} as without the failure, or fewer", before));
  };
  held(after.device_allocations, alone.device_allocations, "device allocations");
  held(after.pinned_allocations, alone.pinned_allocations, "pinned allocations");
}

/// Runs a body in a copy of this process, with the given call failing (0: none; else `alone` is
/// what such a run left behind). Returns the copy's wait status.
int run_copy(const Case& c, const cu::Table& device, const CaseRow& row, int call,
             const Shared& alone, Shared& shared) {
  shared = {};
  const pid_t copy = fork();
  if (copy == 0) {
    SweepSink sink(device, shared, call > 0);
    const size_t findings = device.finding_count();
    if (call > 0) {
      device.fault(fmt::format("*:{}:{}", call, injected_code).c_str(), nullptr, 0);
      device.fault_inside_only(1);
    } else {
      device.observe(nullptr, nullptr);
    }
    run_body(c, row, sink);
    if (call == 0) run_body(c, row, sink);
    if (!sink.suspect().empty()) look_for_leak(c, device, row, alone, sink, shared);
    if (call == 0 && device.finding_count() != findings) ++shared.complaints;
    aoti_cts_vcuda_live live{};
    device.get_live(-1, &live);
    shared.device_allocations = live.device_allocations;
    shared.pinned_allocations = live.pinned_allocations;
    _exit(0);
  }
  int status = -1;
  if (copy < 0 || waitpid(copy, &status, 0) != copy) return -1;
  return status;
}

/// False where no call failed any more.
bool judge_call(Case& c, const cu::Table& device, const CaseRow& row, int call, const Shared& alone,
                Shared& shared) {
  const int status = run_copy(c, device, row, call, alone, shared);
  if (status != 0) {
    const std::string end = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                : fmt::format("exit {}", WEXITSTATUS(status));
    c.fail(fmt::format("{} with CUDA call {} of the case failing", shared.shim, call), end,
           "an error code");
    return true;
  }
  if (shared.complaints > 0) {
    c.fail(shared.what, shared.have, shared.want);
  } else if (shared.struck != 0) {
    c.judge(shared.complaints, 0, "complaints about a failing call");
  }
  return shared.struck != 0;
}

Shared& shared_memory(Case& c) {
  void* at =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  NEED(at != MAP_FAILED, true);
  return *static_cast<Shared*>(at);
}

void sweep(Case& c, const CaseRow& row) {
  const cu::Table& device = virtual_cuda(c);
  Shared& shared = shared_memory(c);
  if (run_copy(c, device, row, 0, shared, shared) != 0 || shared.complaints != 0) {
    c.skip("the case does not hold even while no call fails");
  }
  const Shared alone = shared;
  int call = 1;
  while (call <= max_calls && judge_call(c, device, row, call, alone, shared)) ++call;
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

/// Those that take the device away or fill it up leave a failing call nothing to show, and such as
/// repeat the same calls or make none that fail by themselves show nothing new.
constexpr std::string_view no_scenarios[] = {"no_device_guard", "alloc_failure", "call_failure",
                                             "no_leak",         "last_error",    "threads_device",
                                             "metadata_device"};

bool is_scenario(const Source& source) {
  return is_cuda_profile(source.profile) &&
         std::find(std::begin(no_scenarios), std::end(no_scenarios), source.name) ==
             std::end(no_scenarios);
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
