// Section BLOB over fixture models of our own (conformance/blobs/models/): is the candidate what a
// compiled model needs?
//
//   aoti-cts check --profile blob --select 'BLOB.*'      the built-in reference: PASS
//
// The models are loaded as real blobs are: their shims are bound by the dynamic linker to the
// candidate. What a model should give is computed here.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "suite/blob_given.h"
#include "suite/checked_util.h"
#include "suite/cuda.h"
#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

std::vector<Tensor> one(Tensor tensor) {
  std::vector<Tensor> list;
  list.push_back(std::move(tensor));
  return list;
}

Geometry contiguous(std::vector<int64_t> sizes) {
  std::vector<int64_t> strides = contiguous_strides(sizes);
  return {"", std::move(sizes), std::move(strides)};
}

// ---------------------------------------------------------------------------------------- runs

void pointwise(Case& c, const Geometry& x, const Geometry& y) {
  Fixture model(c, "pointwise");
  std::vector<Tensor> inputs = one(floats(c, x, iota(24)));
  inputs.push_back(floats(c, y, iota(24, 100)));
  const std::vector<Tensor> outputs = model.run(std::move(inputs));
  std::vector<double> want;
  want.reserve(24);
  for (int i = 0; i < 24; ++i) want.push_back(3.0 * i + 100);
  judge_output(c, "2x + y", outputs[0].get(), float32(), contiguous({4, 6}), want);
}

void view_chain(Case& c) {
  Fixture model(c, "view_chain");
  const std::vector<Tensor> outputs = model.run(one(floats(c, contiguous({5, 8}), iota(40))));
  // Element (i, j) of the last view lies at 8 + 3 + 1 + 2 i + 16 j.
  judge_output(c, "sum over the last view", outputs[0].get(), float32(), contiguous({3}),
               {12 + 28, 14 + 30, 16 + 32});
  judge_output(c, "the last view", outputs[1].get(), float32(), {"", {3, 2}, {2, 16}, 12},
               {12, 28, 14, 30, 16, 32});
}

void mutated_view(Case& c) {
  Fixture model(c, "mutated_view");
  Tensor x = floats(c, contiguous({8, 4}), iota(32));
  Tensor kept = make_tensor(c, "aoti_torch_new_tensor_handle", [&](AtenTensorHandle* handle) {
    return SHIM(aoti_torch_new_tensor_handle)(x.get(), handle);
  });
  const std::vector<Tensor> outputs = model.run(one(std::move(x)));
  std::vector<double> seen;
  std::vector<double> doubled;
  for (int i = 0; i < 32; ++i) {
    seen.push_back(i + (i >= 8 && i < 20 ? 1 : 0));
    doubled.push_back(2 * seen.back());
  }
  judge_output(c, "the caller's tensor", kept.get(), float32(), contiguous({8, 4}), seen);
  judge_output(c, "2x", outputs[0].get(), float32(), contiguous({8, 4}), doubled);
}

Tensor patterned(Case& c, const Geometry& geometry, const DType& type) {
  Tensor tensor = empty(c, geometry, type);
  fill(get_data_ptr(c, tensor.get()), geometry, type);
  return tensor;
}

void clones(Case& c, const std::vector<const DType*>& types) {
  Fixture model(c, "clones");
  const std::vector<Geometry> inputs_of = {
      contiguous({7}), {"", {3, 4}, {1, 3}}, contiguous({2, 3, 2}), contiguous({})};
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < 4; ++i) inputs.push_back(patterned(c, inputs_of[i], *types[i]));
  const std::vector<Tensor> outputs = model.run(std::move(inputs));
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<double> want;
    for (const uint64_t bits : patterns(*types[i], numel(inputs_of[i].sizes))) {
      want.push_back(decode(*types[i], bits));
    }
    judge_output(c, fmt::format("clone of {}", types[i]->name), outputs[i].get(), *types[i],
                 inputs_of[i], want);
  }
}

void total(Case& c, const std::vector<int64_t>& sizes, double want) {
  Fixture model(c, "total");
  const std::vector<Tensor> outputs =
      model.run(one(floats(c, contiguous(sizes), iota(numel(sizes)))));
  judge_output(c, "the sum", outputs[0].get(), float32(), contiguous({}), {want});
}

/// An input that is itself a view with an offset, into storage that the caller still has.
void input_with_offset(Case& c) {
  Fixture model(c, "pointwise");
  Tensor base = floats(c, contiguous({8, 6}), iota(48));
  Tensor x = view(c, base.get(), {"", {4, 6}, {6, 1}, 12});
  std::vector<Tensor> inputs = one(std::move(x));
  inputs.push_back(floats(c, contiguous({4, 6}), std::vector<double>(24, 1.0)));
  const std::vector<Tensor> outputs = model.run(std::move(inputs));
  std::vector<double> want;
  want.reserve(24);
  for (int i = 0; i < 24; ++i) want.push_back(2 * (i + 12) + 1);
  judge_output(c, "2x + y", outputs[0].get(), float32(), contiguous({4, 6}), want);
}

// --------------------------------------------------------------------------------------- others

/// Codes in the order that models/static_codes.cpp has.
std::vector<double> codes_of_the_abi() {
  std::vector<double> codes;
  for (const char* name :
       {"uint8", "int8", "int16", "int32", "int64", "float16", "float32", "bfloat16", "bool"}) {
    codes.push_back(dtype(name).code);
  }
  codes.insert(codes.end(), {layout_strided, device_cpu, device_cuda});
  return codes;
}

bool grad_enabled(Case& c) { return SHIM(aoti_torch_grad_mode_is_enabled)(); }

void grad_after(Case& c, bool before, double first) {
  Fixture model(c, "fails_midway");
  SHIM(aoti_torch_grad_mode_set_enabled)(before);
  const bool was = grad_enabled(c);  // a runtime may refuse true
  Tensor x = floats(c, contiguous({2}), {first, 0});
  const Fixture::Ran ran = model.run_raw({x.release()});
  HAVE_WANT_AS("code of Run", ran.error != 0, first < 0);
  HAVE_WANT_AS("grad mode after Run", grad_enabled(c), was);
  const Tensor output(c, ran.outputs[0]);
  if (ran.error == 0) {
    judge_values(c, "grad mode during Run", output.get(), float32(), {1}, {0});
  }
}

/// What became of a model whose check failed, in a process of its own.
enum class Ended : unsigned char { RunFailed = 1, WentOn = 2, RunSucceeded = 3 };

[[noreturn]] void fail_the_check(Case& c) {
  std::signal(SIGABRT, SIG_DFL);
  Fixture model(c, "checks");
  Tensor x = floats(c, contiguous({2}), {-1, 0});
  float* data = nullptr;
  std::memcpy(&data, std::array{get_data_ptr(c, x.get())}.data(), sizeof data);
  const Fixture::Ran ran = model.run_raw({x.release()});
  if (ran.error == 0) {
    _exit(static_cast<int>(data[1] == 0 ? Ended::RunSucceeded : Ended::WentOn));
  }
  _exit(static_cast<int>(Ended::RunFailed));  // the input may be gone: it is not looked at
}

void failed_check(Case& c) {
  { const Fixture loads(c, "checks"); }  // what a copy says is not heard
  const pid_t child = fork();
  NEED(child >= 0, true);
  if (child == 0) fail_the_check(c);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    HAVE_WANT_AS("a failed check ended the process", WTERMSIG(status), SIGABRT);
    return;
  }
  const auto ended = static_cast<Ended>(WEXITSTATUS(status));
  if (ended == Ended::WentOn) {
    c.fail("a model whose check failed", "went on computing, and Run succeeded",
           "Run fails, or the process ends");
  } else {
    HAVE_WANT_AS("Run of a model whose check failed succeeds", ended == Ended::RunSucceeded, false);
  }
}

void aliased_outputs(Case& c) {
  Fixture model(c, "aliased_outputs");
  Tensor x = floats(c, contiguous({3}), {1, 2, 3});
  const AtenTensorHandle input = x.release();
  const Fixture::Ran ran = model.run_raw({input});
  NEED(ran.error, 0);
  HAVE_WANT_AS("the slot without an output is null", ran.outputs[0] == nullptr, true);
  HAVE_WANT_AS("the repeated output is the same handle", ran.outputs[2] == ran.outputs[1], true);
  HAVE_WANT_AS("the input is handed back", ran.outputs[3] == input, true);
  HAVE_WANT_AS("the input's slot is null", ran.inputs[0] == nullptr, true);
  Tensor result(c, ran.outputs[1]);
  Tensor back(c, ran.outputs[3]);
  judge_output(c, "x + 1", result.get(), float32(), contiguous({3}), {2, 3, 4});
  judge_output(c, "x", back.get(), float32(), contiguous({3}), {1, 2, 3});
  HAVE_WANT(SHIM(aoti_torch_delete_tensor_object)(result.release()), 0);
  judge_output(c, "x after the other's end", back.get(), float32(), contiguous({3}), {1, 2, 3});
  HAVE_WANT(SHIM(aoti_torch_delete_tensor_object)(back.release()), 0);
  model.end();
}

void constants(Case& c) {
  Fixture model(c, "constants");
  const std::vector<Tensor> outputs = model.run(one(floats(c, contiguous({3}), {10, 20, 30})));
  judge_output(c, "x * scalar + three", outputs[0].get(), float32(), contiguous({3}), {6, 12, 18});
  judge_output(c, "the scalar", outputs[1].get(), float32(), contiguous({}), {0.5});
  judge_output(c, "the padded one", outputs[2].get(), float32(), contiguous({3}), {1, 2, 3});
  judge_values(c, "the empty one", outputs[3].get(), float32(), {0, 3}, {});
  model.end();
  judge_output(c, "the padded one after the container's end", outputs[2].get(), float32(),
               contiguous({3}), {1, 2, 3});
}

void user_constants(Case& c) {
  Fixture model(c, "user_constants");
  Tensor weight = floats(c, contiguous({4}), {2, 3, 5, 7});
  NEED(model.container().set_constants({{"weight", weight.get()}}), 0);
  weight.reset();
  // Memory of the same size, so that a weight that was given back too early is overwritten.
  std::vector<Tensor> others;
  others.reserve(64);
  for (int i = 0; i < 64; ++i) others.push_back(floats(c, contiguous({4}), {-1, -1, -1, -1}));
  const std::vector<Tensor> outputs =
      model.run(one(floats(c, contiguous({4}), {1, 10, 100, 1000})));
  judge_output(c, "x * weight", outputs[0].get(), float32(), contiguous({4}), {2, 30, 500, 7000});
  model.end();
}

/// Judges that what the body made and ran left no handle and no storage, where the candidate
/// counts them.
template <class Body>
void leaves_nothing(Case& c, Body&& body) {
  const int64_t handles = SHIM(aoti_cts_live_handles)();
  const int64_t storages = SHIM(aoti_cts_live_storages)();
  body();
  HAVE_WANT_AS("live handles afterwards", SHIM(aoti_cts_live_handles)(), handles);
  HAVE_WANT_AS("live storages afterwards", SHIM(aoti_cts_live_storages)(), storages);
}

void run_fails_and_ends(Case& c) {
  Fixture model(c, "fails_midway");
  const Fixture::Ran ran = model.run_raw({floats(c, contiguous({2}), {-1, 0}).release()});
  HAVE_WANT_AS("Run fails", ran.error != 0, true);
  for (AtenTensorHandle left : ran.inputs) Tensor(c, left).reset();
  for (AtenTensorHandle output : ran.outputs) Tensor(c, output).reset();
  model.end();
}

void inputs_are_taken(Case& c, const char* name, std::vector<AtenTensorHandle> inputs) {
  Fixture model(c, name);
  const Fixture::Ran ran = model.run_raw(std::move(inputs));
  for (AtenTensorHandle slot : ran.inputs) {
    HAVE_WANT_AS("a slot after Run, whose handle was taken", slot == nullptr, true);
  }
}

void too_few_inputs(Case& c) {
  Fixture model(c, "pointwise");
  const Tensor x = floats(c, contiguous({4, 6}), iota(24));
  const Fixture::Ran ran = model.run_raw({x.get()});
  HAVE_WANT_AS("Run with an input too few fails", ran.error != 0, true);
  HAVE_WANT_AS("the input's slot is as it was", ran.inputs[0] == x.get(), true);
  judge_output(c, "the input", x.get(), float32(), contiguous({4, 6}), iota(24));
}

/// A model over the candidate, under its prefix, and the same one without a prefix over a runtime
/// that is in the process too: the checked reference, which notices a handle that is not its own.
void coexist(Case& c) {
  const std::string& prefix = settings().prefix;
  if (prefix.empty()) c.skip("no prefix is declared (--prefix)");
  blobs::Given model;
  model.path = "view_chain without a prefix";
  model.bytes = blobs::with_prefix(blobs::fixture("view_chain"), blobs::placeholder(), prefix);
  CheckedModel theirs(c, model);
  Fixture own(c, "view_chain");
  Case& other = theirs.shims();
  const int64_t live = theirs.table().aoti_cts_checked_live();
  const std::vector<Tensor> outputs = own.run(one(floats(c, contiguous({5, 8}), iota(40))));
  HAVE_WANT_AS("handles of the other runtime after a run over the candidate",
               theirs.table().aoti_cts_checked_live(), live);
  judge_output(c, "the sum over the candidate", outputs[0].get(), float32(), contiguous({3}),
               {40, 44, 48});
  own.end();
  std::vector<AtenTensorHandle> inputs = {floats(other, contiguous({5, 8}), iota(40, 1)).release()};
  std::vector<AtenTensorHandle> slots(2);
  NEED(theirs.container().run(inputs, slots), 0);
  judge_output(other, "the sum over the other runtime", slots[0], float32(), contiguous({3}),
               {42, 46, 50});
  for (AtenTensorHandle slot : slots) Tensor(other, slot).reset();
  theirs.end_clean();
}

/// A model without kernels that was created for a CUDA device.
void on_device(Case& c, int32_t index) {
  Fixture model(c, "on_device", fmt::format("cuda:{}", index).c_str());
  const Geometry whole = contiguous({4, 6});
  Tensor x = on_cuda(c, whole, float32(), index);
  fill_device(c, get_data_ptr(c, x.get()), whole, float32());
  const std::vector<uint64_t> values = patterns(float32(), 24);
  const std::vector<Tensor> outputs = model.run(one(std::move(x)));
  const auto judge = [&](const Tensor& output, const Geometry& geometry, std::ptrdiff_t first) {
    int32_t have = -1;
    NEED(SHIM(aoti_torch_get_device_index)(output.get(), &have), 0);
    HAVE_WANT_AS("device index of the output", have, index);
    const auto begin = values.begin() + first;
    HAVE_WANT_AS("output", read_device(c, get_data_ptr(c, output.get()), geometry, float32()),
                 std::vector<uint64_t>(begin, begin + numel(geometry.sizes)));
  };
  judge(outputs[0], whole, 0);
  judge(outputs[1], contiguous({2, 6}), 6);
  model.end();
}

void counts(Case& c, Fixture& model, const char* name, double want) {
  const std::vector<Tensor> outputs = model.run({});
  judge_values(c, name, outputs[0].get(), dtype("int64"), {1}, {want});
}

}  // namespace

CLAUSE_CASES(BLOB, runs) {
  cases.add("pointwise", [](Case& c) { pointwise(c, contiguous({4, 6}), contiguous({4, 6})); });
  cases.add("pointwise_strided", [](Case& c) {
    pointwise(c, {"", {4, 6}, {1, 4}}, {"", {4, 6}, {9, 1}});
  });
  cases.add("input_with_offset", input_with_offset);
  cases.add("view_chain", view_chain);
  cases.add("mutated_view", mutated_view);
  cases.add("clones_of_floats", [](Case& c) {
    clones(c, {&float32(), &dtype("float16"), &dtype("bfloat16"), &float32()});
  });
  cases.add("clones_of_integers", [](Case& c) {
    clones(c, {&dtype("int64"), &dtype("int32"), &dtype("int16"), &dtype("int8")});
  });
  cases.add("clones_of_bytes", [](Case& c) {
    clones(c, {&dtype("bool"), &dtype("uint8"), &dtype("int8"), &dtype("bool")});
  });
  cases.add("scalar_output", [](Case& c) { total(c, {3, 5}, 105); });
  cases.add("scalar_input", [](Case& c) { total(c, {}, 0); });
  cases.add("zero_size_input", [](Case& c) { total(c, {0, 4}, 0); });
  cases.add("ten_times", [](Case& c) {
    for (int i = 0; i < 10; ++i) total(c, {4}, 6);
  });
  add_given(cases, "", given_runs);
  add_given(cases, "threads", given_runs_in_threads);
  add_given(cases, "after_failed_runs", given_runs_after_failures);
}

CLAUSE_CASES(BLOB, own_device) {
  cases.add("first", [](Case& c) {
    need_devices(c, 1);
    on_device(c, 0);
  });
  cases.add("last", [](Case& c) {
    need_devices(c, 2);
    on_device(c, last_device(c));
  });
  add_given(cases, "", given_works_on_its_device);
}

CLAUSE_CASES(BLOB, no_leak) {
  cases.add("run", [](Case& c) {
    leaves_nothing(c, [&] { pointwise(c, contiguous({4, 6}), contiguous({4, 6})); });
  });
  cases.add("run_fails", [](Case& c) { leaves_nothing(c, [&] { run_fails_and_ends(c); }); });
  add_given(cases, "", given_leaves_nothing);
  add_given(cases, "checked", given_leaks);
  add_given(cases, "run_fails", given_failures_leave_nothing);
  add_given(cases, "run_fails_checked", given_failures_leak);
}

CLAUSE_CASES(BLOB, no_dead_handle) {
  // That what generated code does is no finding; VIEW.temporary-in-array has what is one.
  cases.add("of_ours", [](Case& c) {
    CheckedModel model(c, "view_chain");
    Case& checked = model.shims();
    std::vector<AtenTensorHandle> inputs = {
        floats(checked, contiguous({5, 8}), iota(40)).release()};
    std::vector<AtenTensorHandle> outputs(2);
    HAVE_WANT_AS("code of Run", model.container().run(inputs, outputs), 0);
    for (AtenTensorHandle output : outputs) Tensor(checked, output).reset();
    model.end_clean();
  });
  add_given(cases, "", given_misuses);
  add_given(cases, "run_fails", given_failures_misuse);
}

CLAUSE_CASES(BLOB, input_ownership) {
  cases.add("taken", [](Case& c) {
    inputs_are_taken(c, "pointwise",
                     {floats(c, contiguous({4, 6}), iota(24)).release(),
                      floats(c, contiguous({4, 6}), iota(24)).release()});
  });
  cases.add("taken_by_a_run_that_fails", [](Case& c) {
    inputs_are_taken(c, "fails_midway", {floats(c, contiguous({2}), {-1, 0}).release()});
  });
  cases.add("too_few", too_few_inputs);
  add_given(cases, "taken", given_takes_its_inputs);
  add_given(cases, "too_few", given_too_few_inputs);
}

CLAUSE_CASES(BLOB, static_init) {
  cases.add("codes", [](Case& c) {
    Fixture model(c, "static_codes");
    const std::vector<Tensor> outputs = model.run({});
    const DType& int64 = dtype("int64");
    judge_values(c, "codes in a static initialiser", outputs[0].get(), int64, {12},
                 codes_of_the_abi());
    judge_values(c, "codes in Run", outputs[1].get(), int64, {12}, codes_of_the_abi());
  });
}

CLAUSE_CASES(BLOB, view_output) {
  cases.add("base_died_in_run", [](Case& c) {
    Fixture model(c, "view_output");
    std::vector<Tensor> outputs = model.run(one(floats(c, contiguous({5, 4}), iota(20))));
    // Memory of the base's size, so that one that was given back too early is overwritten.
    std::vector<Tensor> others;
    others.reserve(64);
    for (int i = 0; i < 64; ++i) {
      others.push_back(floats(c, contiguous({5, 4}), std::vector<double>(20, -1)));
    }
    const std::vector<double> want = {2, 6, 10, 14, 18, 3, 7, 11, 15, 19};
    judge_output(c, "the view", outputs[0].get(), float32(), {"", {2, 5}, {1, 4}, 1}, want);
    model.end();
    judge_output(c, "the view after the container's end", outputs[0].get(), float32(),
                 {"", {2, 5}, {1, 4}, 1}, want);
  });
}

CLAUSE_CASES(BLOB, constants) {
  cases.add("scalar_padded_and_empty", constants);
  cases.add("released_at_the_end", [](Case& c) { leaves_nothing(c, [&] { constants(c); }); });
}

CLAUSE_CASES(BLOB, user_constants) {
  cases.add("weight_outlives_the_callers_handle", user_constants);
  cases.add("released_at_the_end", [](Case& c) { leaves_nothing(c, [&] { user_constants(c); }); });
}

CLAUSE_CASES(BLOB, grad_restored) {
  cases.add("enabled", [](Case& c) { grad_after(c, true, 1); });
  cases.add("disabled", [](Case& c) { grad_after(c, false, 1); });
  cases.add("enabled_and_run_fails", [](Case& c) { grad_after(c, true, -1); });
  cases.add("disabled_and_run_fails", [](Case& c) { grad_after(c, false, -1); });
  add_given(cases, "", given_keeps_grad_mode);
  add_given(cases, "run_fails", given_failures_keep_grad_mode);
}

CLAUSE_CASES(BLOB, check_fails) {
  cases.add("in_run", failed_check);
  cases.add("passes_in_run", [](Case& c) {
    Fixture model(c, "checks");
    const std::vector<Tensor> outputs = model.run(one(floats(c, contiguous({2}), {1, 0})));
    judge_output(c, "x", outputs[0].get(), float32(), contiguous({2}), {1, 7});
  });
  add_given(cases, "", given_fails_with_its_shims);
}

CLAUSE_CASES(BLOB, aliased_outputs) { cases.add("null_repeated_and_handed_back", aliased_outputs); }

CLAUSE_CASES(BLOB, coexist) { cases.add("beside_an_unprefixed_runtime", coexist); }

CLAUSE_CASES(BLOB, two_at_once) {
  cases.add("different_models", [](Case& c) {
    auto first = std::make_unique<Fixture>(c, "total");
    Fixture second(c, "pointwise");
    HAVE_WANT_AS("inputs of the first", first->container().inputs(), std::size_t{1});
    HAVE_WANT_AS("inputs of the second", second.container().inputs(), std::size_t{2});
    first->end();
    first.reset();
    std::vector<Tensor> inputs = one(floats(c, contiguous({4, 6}), iota(24)));
    inputs.push_back(floats(c, contiguous({4, 6}), std::vector<double>(24, 0)));
    const std::vector<Tensor> outputs = second.run(std::move(inputs));
    std::vector<double> want;
    want.reserve(24);
    for (int i = 0; i < 24; ++i) want.push_back(2 * i);
    judge_output(c, "2x + y", outputs[0].get(), float32(), contiguous({4, 6}), want);
    second.end();
  });
  cases.add("the_same_model", [](Case& c) {
    auto first = std::make_unique<Fixture>(c, "counter");
    Fixture second(c, "counter");
    counts(c, *first, "runs of the first", 1);
    counts(c, *first, "runs of the first", 2);
    counts(c, second, "runs of the second", 1);
    first->end();
    first.reset();
    counts(c, second, "runs of the second after the first's end", 2);
    second.end();
  });
  add_given(cases, "", given_twice_at_once);
}

}  // namespace aoti_cts::suite
