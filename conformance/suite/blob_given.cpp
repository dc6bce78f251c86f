// Section BLOB over models that the command line names.
//
//   aoti-cts check --candidate LIB --blob MODEL.pt2 --inputs IN.npz --expect OUT.npz
//
// prints one line for each clause; PASS where the model runs on the candidate and gives what is
// expected.
#include "suite/blob_given.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "suite/checked_util.h"

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

/// Runs the model twice over the checked reference and ends it; whether it said an error.
std::vector<std::string> findings_of(Case& c, const blobs::Given& model) {
  CheckedModel checked(c, model);
  std::string error;
  try {
    for (int i = 0; i < 2; ++i) {
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
void judge_findings(Case& c, const blobs::Given& model, bool leaks) {
  int64_t count = 0;
  for (const std::string& finding : findings_of(c, model)) {
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
  for (std::thread& thread : running) thread.join();
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

void given_leaks(Case& c, const blobs::Given& model) { judge_findings(c, model, true); }

void given_misuses(Case& c, const blobs::Given& model) { judge_findings(c, model, false); }

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
