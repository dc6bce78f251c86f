// Section VIEW, the clauses that need a model: views in the hands of generated code.
//
//   aoti-cts check --profile blob --select 'VIEW.*'      the built-in reference: PASS
//
// Each clause is judged twice. Over the candidate a model does what generated code may do, and its
// outputs have to be right. Over the checked reference (cases judged_*) the model itself is judged:
// what may be done leaves no finding, and what must not be done is found. The forms that must not
// be are never run over a candidate, which owes them nothing.
#include <functional>
#include <thread>

#include "suite/blob_util.h"
#include "suite/checked_util.h"

namespace aoti_cts::suite {
namespace {

using Values = std::vector<double>;
using Kinds = std::vector<std::string>;

Geometry contiguous(std::vector<int64_t> sizes) {
  std::vector<int64_t> strides = contiguous_strides(sizes);
  return {"", std::move(sizes), std::move(strides)};
}

/// One call of a model with one input. Any thread may make it, the first one judges it.
struct Call {
  AtenTensorHandle input = nullptr;
  std::vector<AtenTensorHandle> outputs;
  int32_t error = -1;
};

Call call_of(Case& c, const Geometry& geometry, const Values& values, std::size_t outputs) {
  return {floats(c, geometry, values).release(), std::vector<AtenTensorHandle>(outputs), -1};
}

/// A model's container: takes inputs, writes outputs, returns its code.
using Model = std::function<int32_t(std::vector<AtenTensorHandle>& inputs,
                                    std::vector<AtenTensorHandle>& outputs)>;

void make(const Model& model, Call& call) {
  std::vector<AtenTensorHandle> inputs = {call.input};
  call.error = model(inputs, call.outputs);
  call.input = inputs[0];
}

/// The call succeeded, each output has these sizes and values; ends the outputs.
void judge_call(Case& c, const std::string& name, const Call& call,
                const std::vector<int64_t>& sizes, const Values& want) {
  std::vector<Tensor> outputs;
  for (AtenTensorHandle output : call.outputs) outputs.emplace_back(c, output);
  if (!HAVE_WANT_AS("code of " + name, call.error, 0)) throw EndCase{};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    judge_values(c, fmt::format("output {} of {}", i, name), outputs[i].get(), float32(), sizes,
                 want);
  }
}

/// What is left where a model failed, or where its outputs are of no interest.
void end(Case& c, const Call& call) {
  const Tensor input(c, call.input);
  for (AtenTensorHandle output : call.outputs) {
    const Tensor owner(c, output);
  }
}

using Body = void(Case& c, const Model& model);

/// A model of the right kind, over the candidate and over the checked reference.
void add_both(CaseList& cases, const std::string& name, const char* model, Body* body) {
  cases.add(name, [=](Case& c) {
    Fixture fixture(c, model);
    body(c, [&](auto& inputs, auto& outputs) { return fixture.container().run(inputs, outputs); });
    fixture.end();
  });
  cases.add("judged_" + name, [=](Case& c) {
    CheckedModel checked(c, model);
    body(checked.shims(),
         [&](auto& inputs, auto& outputs) { return checked.run(inputs, outputs); });
    checked.end_clean();
  });
}

/// A model of the wrong kind, run `calls` times on a matrix of these sizes.
void add_wrong(CaseList& cases, const char* name, const char* model,
               const std::vector<int64_t>& sizes, int calls, const char* kind) {
  cases.add(name, [=](Case& c) {
    CheckedModel checked(c, model);
    for (int i = 0; i < calls; ++i) {
      Call call = call_of(checked.shims(), contiguous(sizes), iota(numel(sizes)), 1);
      make([&](auto& inputs, auto& outputs) { return checked.run(inputs, outputs); }, call);
      end(checked.shims(), call);
    }
    HAVE_WANT_AS("kinds of finding", checked.kinds(), Kinds{kind});
  });
}

// ------------------------------------------------------------------------ VIEW.temporary-in-array

void concatenates_blocks(Case& c, const Model& model) {
  Call call = call_of(c, contiguous({4, 6}), iota(24), 3);
  make(model, call);
  judge_call(c, "the model", call, {8}, {1, 2, 7, 8, 15, 16, 21, 22});
}

// ---------------------------------------------------------------------------- VIEW.callee-borrows

void concatenates_rows(Case& c, const Model& model) {
  Call call = call_of(c, contiguous({2, 4}), iota(8), 2);
  make(model, call);
  judge_call(c, "the model", call, {8}, iota(8));
}

// ------------------------------------------------------------------------------ VIEW.const-source

/// Threads run one container at once, each with rows of its own.
void rows_on_threads(Case& c, const Model& model) {
  constexpr int thread_count = 4;
  constexpr int rounds = 25;
  const auto row_of = [](int thread, int round) { return (thread * 2 + round) % 8; };
  std::vector<std::vector<Call>> calls(thread_count);
  for (int t = 0; t < thread_count; ++t) {
    for (int i = 0; i < rounds; ++i) {
      calls[static_cast<std::size_t>(t)].push_back(
          call_of(c, contiguous({1}), {static_cast<double>(row_of(t, i))}, 1));
    }
  }
  std::vector<std::thread> threads;
  threads.reserve(calls.size());
  for (std::vector<Call>& own : calls) {
    threads.emplace_back([&model, &own] {
      for (Call& call : own) make(model, call);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < thread_count; ++t) {
    for (int i = 0; i < rounds; ++i) {
      judge_call(c, fmt::format("call {} of thread {}", i, t),
                 calls[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)], {4, 1},
                 iota(4, 4 * row_of(t, i)));
    }
  }
}

// ------------------------------------------------------------------------ VIEW.thread-local-cache

/// Another thread comes and goes between two calls of the first.
void sums_of_threads(Case& c, const Model& model) {
  std::vector<Call> calls;
  calls.reserve(4);
  for (int i = 0; i < 4; ++i) calls.push_back(call_of(c, contiguous({5}), iota(5, 10 * i), 1));
  std::thread([&] {
    make(model, calls[0]);
    make(model, calls[1]);
    std::thread([&] { make(model, calls[2]); }).join();
    make(model, calls[3]);
  }).join();
  const auto sum = [](double first, double step) {
    Values values;
    for (int i = 0; i < 5; ++i) values.push_back(first + step * i);
    return values;
  };
  judge_call(c, "a thread's first call", calls[0], {5}, sum(0, 1));
  judge_call(c, "its second call", calls[1], {5}, sum(10, 2));
  judge_call(c, "another thread's first call", calls[2], {5}, sum(20, 1));
  judge_call(c, "the first thread's call after the other's end", calls[3], {5}, sum(40, 3));
}

}  // namespace
}  // namespace aoti_cts::suite

CLAUSE_CASES(VIEW, temporary_in_array) {
  add_both(cases, "full_expressions", "temporaries", concatenates_blocks);
  add_wrong(cases, "judged_filled_beforehand", "dead_temporaries", {4, 6}, 1, "use-after-delete");
}

CLAUSE_CASES(VIEW, callee_borrows) {
  add_both(cases, "callers_handles", "borrowed_array", concatenates_rows);
  add_wrong(cases, "judged_freed", "freed_array", {2, 4}, 1, "double-delete");
  add_wrong(cases, "judged_kept", "kept_array", {2, 4}, 2, "use-after-delete");
  add_wrong(cases, "judged_kept_slots", "kept_slots", {4}, 2, "retained-argument");
}

CLAUSE_CASES(VIEW, const_source) { add_both(cases, "threads", "constant_rows", rows_on_threads); }

CLAUSE_CASES(VIEW, thread_local_cache) {
  add_both(cases, "across_calls_and_threads", "cached_view", sums_of_threads);
}
