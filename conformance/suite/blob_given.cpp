// Section BLOB over models that the command line names.
//
//   aoti-cts check --candidate LIB --blob MODEL.pt2 --inputs IN.npz --expect OUT.npz
//
// prints one line for each clause; PASS where the model runs on the candidate and gives what is
// expected.
#include "suite/blob_given.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include "blobs/failing_shims.h"
#include "suite/checked_util.h"
#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

/// Judges outputs against the expectation; without one the case is a SKIP that says so, once the
/// rest of it has passed.
void judge_outputs(Case& c, const blobs::Given& model, const std::vector<blobs::Output>& outputs,
                   const std::string& what) {
  if (!model.expect) return;
  const std::string difference = blobs::first_difference(outputs, *model.expect);
  if (difference.empty()) {
    c.judge(true, true, what);
  } else {
    c.fail(what, difference, fmt::format("what {} has", model.expect_from));
  }
}

/// Runs a model with one of its shims failing, once for each call that a Run makes; what is left
/// in its slots is deleted.
class FailingRuns {
 public:
  FailingRuns(Case& c, const AotiShimTable& table, const blobs::Blob& blob,
              const blobs::Container& container, const blobs::Given& model,
              const std::string& prefix)
      : c_(c), table_(table), container_(container), model_(model), shims_(blob, prefix) {}

  /// The shim whose call failed, or null where the model makes fewer calls than `which`.
  const char* run(int64_t which) {
    const blobs::Doing doing(of(which));
    blobs::Inputs inputs(table_, model_.inputs, model_.device);
    std::vector<AtenTensorHandle> outputs(container_.outputs());
    shims_.fail(which);
    code_ = container_.run(inputs.handles, outputs);
    const char* const failed = shims_.failed();
    calls_ = shims_.calls();
    shims_.fail(0);
    std::set<AtenTensorHandle> left(outputs.begin(), outputs.end());
    if (code_ == 0) {
      const auto taken = std::count(inputs.handles.begin(), inputs.handles.end(), nullptr);
      leaves_what_it_takes_ |= taken != static_cast<std::ptrdiff_t>(inputs.handles.size());
    } else if (!leaves_what_it_takes_) {  // whose inputs are dead, which is another clause's
      left.insert(inputs.handles.begin(), inputs.handles.end());
    }
    left.erase(nullptr);
    for (AtenTensorHandle handle : left) table_.aoti_torch_delete_tensor_object(handle);
    return failed;
  }

  /// "a Run of the model whose call 3 of a shim failed"
  static std::string of(int64_t which) {
    if (which == 0) return "a Run of the model";
    return fmt::format("a Run of the model whose call {} of a shim failed", which);
  }

  /// Ends the case with SKIP where no call can fail. Of a Run with many calls, 64 spread over it
  /// fail, and fewer where it takes its time.
  void run_all() {
    for (const int64_t call : calls()) run(call);
  }

  /// Which calls run_all() lets fail.
  std::vector<int64_t> calls() {
    const auto before = std::chrono::steady_clock::now();
    run(0);
    const std::chrono::duration<double> once = std::chrono::steady_clock::now() - before;
    const int64_t all = calls_;
    if (all == 0) c_.skip("a Run of the model calls no shim that can fail");
    const auto most = static_cast<int64_t>(std::clamp(1.0 / (once.count() + 1e-3), 4.0, 64.0));
    std::vector<int64_t> chosen;
    const int64_t points = std::min(all, most);
    for (int64_t i = 0; i < points; ++i) {
      chosen.push_back(points == 1 ? 1 : 1 + i * (all - 1) / (points - 1));
    }
    return chosen;
  }

  /// Of the last run.
  int32_t code() const { return code_; }

 private:
  Case& c_;
  const AotiShimTable& table_;
  const blobs::Container& container_;
  const blobs::Given& model_;
  blobs::FailingShims shims_;
  int32_t code_ = 0;
  int64_t calls_ = 0;
  bool leaves_what_it_takes_ = false;
};

FailingRuns failing_runs(Case& c, GivenModel& loaded) {
  return {c, c.table(), loaded.blob(), loaded.container(), loaded.model(), settings().prefix};
}

/// Runs the model over the checked reference, twice or with each shim failing, and ends it; whether
/// it said an error.
std::vector<std::string> findings_of(Case& c, const blobs::Given& model, bool failing) {
  CheckedModel checked(c, model);
  std::string error;
  try {
    if (failing) {
      FailingRuns(c, checked.table(), checked.blob(), checked.container(), model, "").run_all();
    }
    for (int i = 0; i < 2 && !failing; ++i) {
      blobs::run_once(checked.table(), checked.container(), model.inputs, model.device);
    }
  } catch (const blobs::Error& caught) {
    error = caught.what();
  }
  checked.end();
  std::vector<std::string> findings = checked.findings();
  // A checked shim that was misused returns an error, so that a run that fails has a finding.
  if (findings.empty() && !error.empty()) {
    c.fail("running " + model.path + " over the checked reference", error, "success");
  }
  return findings;
}

bool is_leak(const std::string& finding) { return finding.starts_with("leak:"); }

/// Judges the findings that are leaks, or those that are none.
void judge_findings(Case& c, const blobs::Given& model, bool leaks, bool failing) {
  int64_t count = 0;
  for (const std::string& finding : findings_of(c, model, failing)) {
    if (is_leak(finding) != leaks) continue;  // another clause's
    ++count;
    c.fail("the checked reference, of " + model.path, finding, "nothing");
  }
  HAVE_WANT_AS(leaks ? "leaks over the checked reference" : "misuses over the checked reference",
               count, int64_t{0});
}

void need_expectation(Case& c, const blobs::Given& model) {
  if (model.expect) return;
  c.skip(model.expect_from.empty()
             ? "it ran; its outputs were compared with nothing: give --expect or --against"
             : "it ran; its outputs were compared with nothing: " + model.expect_from);
}

}  // namespace

GivenModel::GivenModel(Case& c, const blobs::Given& model) : c_(c), model_(model) {
  publish_candidate(c);
  setenv("AOTI_RUNTIME_CHECK_INPUTS", "1",
         1);  // generated code judges its inputs where this is set
  try {
    blob_ = std::make_unique<blobs::Blob>(model.bytes);
  } catch (const blobs::Error& error) {
    const std::string why = error.what();
    if (why.find("undefined symbol: ") != std::string::npos) {
      c.skip("it does not bind: " + why.substr(why.find("undefined symbol: ")));
    }
    c.fail("loading " + model.path, why, "success");
    throw EndCase{};
  }
  try {
    container_ = std::make_unique<blobs::Container>(*blob_, model.device.text.c_str());
    if (!c.judge(model.inputs.size(), container_->inputs(), "inputs given for " + model.path)) {
      throw EndCase{};
    }
  } catch (const blobs::Error& error) {
    c.fail("creating a container of " + model.path, error.what(), "success");
    throw EndCase{};
  }
}

std::vector<blobs::Output> GivenModel::run() {
  try {
    return blobs::run_once(c_.table(), *container_, model_.inputs, model_.device);
  } catch (const blobs::Error& error) {
    c_.fail("running " + model_.path, error.what(), "success");
    throw EndCase{};
  }
}

void GivenModel::end() {
  c_.judge(container_->end(), 0, "code of AOTInductorModelContainerDelete");
}

void given_runs(Case& c, const blobs::Given& model) {
  GivenModel loaded(c, model);
  judge_outputs(c, model, loaded.run(), "outputs");
  judge_outputs(c, model, loaded.run(), "outputs of a second run");
  loaded.end();
  need_expectation(c, model);
}

void given_runs_in_threads(Case& c, const blobs::Given& model) {
  constexpr int threads = 4;
  constexpr int rounds = 8;
  // The first load is this thread's: what does not bind or load is told once.
  GivenModel first(c, model);
  std::vector<std::string> differences(threads);
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      try {
        const blobs::Blob blob(model.bytes);
        const blobs::Container container(blob, model.device.text.c_str());
        for (int round = 0; round < rounds && differences[i].empty(); ++round) {
          const auto outputs = blobs::run_once(c.table(), container, model.inputs, model.device);
          if (model.expect) differences[i] = blobs::first_difference(outputs, *model.expect);
        }
      } catch (const blobs::Error& error) {
        differences[i] = error.what();
      }
    });
  }
  {
    const blobs::Doing doing("one of four threads that load and run the model");
    for (std::thread& thread : running) thread.join();
  }
  const std::string no_difference = model.expect ? "what " + model.expect_from + " has" : "success";
  for (int i = 0; i < threads; ++i) {
    HAVE_WANT_AS(fmt::format("thread {}, {} runs of a container of its own", i, rounds),
                 differences[i].empty() ? no_difference : differences[i], no_difference);
  }
  need_expectation(c, model);
}

void given_twice_at_once(Case& c, const blobs::Given& model) {
  auto first = std::make_unique<GivenModel>(c, model);
  GivenModel second(c, model);
  judge_outputs(c, model, first->run(), "outputs of the first");
  judge_outputs(c, model, second.run(), "outputs of the second");
  first->end();
  first.reset();
  judge_outputs(c, model, second.run(), "outputs of the second after the first's end");
  second.end();
}

void given_keeps_grad_mode(Case& c, const blobs::Given& model) {
  GivenModel loaded(c, model);
  for (const bool before : {true, false}) {
    SHIM(aoti_torch_grad_mode_set_enabled)(before);
    const bool was = SHIM(aoti_torch_grad_mode_is_enabled)();  // a runtime may refuse true
    loaded.run();
    HAVE_WANT_AS("grad mode after Run", SHIM(aoti_torch_grad_mode_is_enabled)(), was);
  }
}

void given_takes_its_inputs(Case& c, const blobs::Given& model) {
  GivenModel loaded(c, model);
  blobs::Inputs inputs(c.table(), model.inputs, model.device);
  std::vector<AtenTensorHandle> outputs(loaded.container().outputs());
  NEED(loaded.container().run(inputs.handles, outputs), 0);
  int64_t left = 0;
  for (AtenTensorHandle slot : inputs.handles) left += slot == nullptr ? 0 : 1;
  HAVE_WANT_AS("input slots that Run left, of handles that it took", left, int64_t{0});
}

void given_too_few_inputs(Case& c, const blobs::Given& model) {
  if (model.inputs.empty()) c.skip("the model has no inputs");
  GivenModel loaded(c, model);
  blobs::Inputs inputs(c.table(), model.inputs, model.device);
  const AtenTensorHandle extra = inputs.handles.back();
  inputs.handles.pop_back();
  std::vector<AtenTensorHandle> outputs(loaded.container().outputs());
  HAVE_WANT_AS("Run with an input too few fails",
               loaded.container().run(inputs.handles, outputs) != 0, true);
  inputs.handles.push_back(extra);
  for (AtenTensorHandle slot : inputs.handles) {
    if (slot == nullptr) continue;
    int64_t ndim = -1;
    HAVE_WANT_AS("get_dim of an input that was left", SHIM(aoti_torch_get_dim)(slot, &ndim), 0);
    HAVE_WANT_AS("deleting an input that was left", SHIM(aoti_torch_delete_tensor_object)(slot), 0);
  }
}

void given_works_on_its_device(Case& c, const blobs::Given& model) {
  if (model.device.type == 0) c.skip("the model runs on the CPU: --device cuda:N");
  GivenModel loaded(c, model);
  blobs::Inputs inputs(c.table(), model.inputs, model.device);
  std::vector<AtenTensorHandle> outputs(loaded.container().outputs());
  NEED(loaded.container().run(inputs.handles, outputs), 0);
  bool judged = false;
  for (auto slot = outputs.begin(); slot != outputs.end(); ++slot) {
    if (*slot == nullptr || std::find(outputs.begin(), slot, *slot) != slot) continue;
    const Tensor output(c, *slot);
    int32_t type = -1;
    int32_t index = -1;
    NEED(SHIM(aoti_torch_get_device_type)(output.get(), &type), 0);
    NEED(SHIM(aoti_torch_get_device_index)(output.get(), &index), 0);
    if (type == 0) continue;
    judged = true;
    HAVE_WANT_AS(fmt::format("device index of output {}", slot - outputs.begin()), index,
                 model.device.index);
  }
  if (!judged) c.skip("no output of the model is on a device");
}

void given_leaks(Case& c, const blobs::Given& model) { judge_findings(c, model, true, false); }

void given_misuses(Case& c, const blobs::Given& model) { judge_findings(c, model, false, false); }

void given_failures_leak(Case& c, const blobs::Given& model) {
  judge_findings(c, model, true, true);
}

void given_failures_misuse(Case& c, const blobs::Given& model) {
  judge_findings(c, model, false, true);
}

void given_runs_after_failures(Case& c, const blobs::Given& model) {
  GivenModel loaded(c, model);
  // Where nothing is expected, the model is its own measure, if it gives the same twice.
  blobs::Given measured = model;
  if (!model.expect) {
    measured.expect = loaded.run();
    measured.expect_from = "a run before";
    if (!blobs::first_difference(loaded.run(), *measured.expect).empty()) {
      c.skip("two runs differ, and with neither --expect nor --against nothing else is known");
    }
  }
  failing_runs(c, loaded).run_all();
  judge_outputs(c, measured, loaded.run(), "outputs after Runs that failed half-way");
  loaded.end();
}

void given_failures_keep_grad_mode(Case& c, const blobs::Given& model) {
  GivenModel loaded(c, model);
  for (const bool before : {true, false}) {
    SHIM(aoti_torch_grad_mode_set_enabled)(before);
    const bool was = SHIM(aoti_torch_grad_mode_is_enabled)();  // a runtime may refuse true
    failing_runs(c, loaded).run_all();
    HAVE_WANT_AS("grad mode after Runs that failed half-way",
                 SHIM(aoti_torch_grad_mode_is_enabled)(), was);
  }
}

void given_failures_leave_nothing(Case& c, const blobs::Given& model) {
  const int64_t handles = SHIM(aoti_cts_live_handles)();
  const int64_t storages = SHIM(aoti_cts_live_storages)();
  {
    GivenModel loaded(c, model);
    failing_runs(c, loaded).run_all();
    loaded.end();
  }
  HAVE_WANT_AS("live handles after the end", SHIM(aoti_cts_live_handles)(), handles);
  HAVE_WANT_AS("live storages after the end", SHIM(aoti_cts_live_storages)(), storages);
}

namespace {

/// What a copy of the process tells of its failing Runs.
struct Progress {
  std::atomic<int64_t> call{0};  ///< that fails now; 0 before the first
  std::atomic<bool> finished{false};
  std::atomic<const char*> went_on{nullptr};  ///< the shim whose error was not looked at
};

/// Fails one call after the other, from where the last copy ended, until a Run goes on after one.
[[noreturn]] void fail_one_after_the_other(Case& c, GivenModel& loaded, Progress& progress) {
  std::signal(SIGABRT, SIG_DFL);
  const int64_t done = progress.call;
  try {
    FailingRuns runs = failing_runs(c, loaded);
    for (const int64_t call : runs.calls()) {
      if (call <= done) continue;
      progress.call = call;
      const char* const failed = runs.run(call);
      if (failed == nullptr || runs.code() != 0) continue;
      progress.went_on = failed;
      break;
    }
  } catch (const EndCase&) {  // there are none
  }
  progress.finished = true;
  _exit(0);
}

}  // namespace

// A model may end the process instead of its Run: then another copy goes on with the next call.
void given_fails_with_its_shims(Case& c, const blobs::Given& model) {
  GivenModel loaded(c, model);
  void* const page =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  NEED(page != MAP_FAILED, true);
  auto& progress = *new (page) Progress;
  int status = 0;
  int64_t before = 0;
  do {
    before = progress.call;
    const pid_t child = fork();
    NEED(child >= 0, true);
    if (child == 0) fail_one_after_the_other(c, loaded, progress);
    const blobs::Doing doing("a Run of the model, in a copy of the process");
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  } while (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && progress.call > before);
  if (!progress.finished && progress.call == before) {
    c.skip("a Run of the model ends the process before a shim fails");
  }
  const std::string what = FailingRuns::of(progress.call);
  if (WIFSIGNALED(status)) {
    c.fail(what, fmt::format("signal {}", WTERMSIG(status)), "an error or SIGABRT");
  } else if (!progress.finished) {
    c.fail(what, fmt::format("the process ended with code {}", WEXITSTATUS(status)),
           "an error or SIGABRT");
  } else if (const char* const shim = progress.went_on) {
    c.fail(fmt::format("{}, {}", what, shim), "went on, and succeeded", "an error");
  } else if (progress.call == 0) {
    c.skip("a Run of the model calls no shim that can fail");
  } else {
    HAVE_WANT_AS("exit code of failing Runs", WEXITSTATUS(status), 0);
  }
}

void given_leaves_nothing(Case& c, const blobs::Given& model) {
  const int64_t handles = SHIM(aoti_cts_live_handles)();
  const int64_t storages = SHIM(aoti_cts_live_storages)();
  {
    GivenModel loaded(c, model);
    loaded.run();
    loaded.run();
    loaded.end();
  }
  HAVE_WANT_AS("live handles after the end", SHIM(aoti_cts_live_handles)(), handles);
  HAVE_WANT_AS("live storages after the end", SHIM(aoti_cts_live_storages)(), storages);
}

}  // namespace aoti_cts::suite
