// Section TENSOR, threads: bounded runs with a fixed number of steps. A clock only ends a run that
// would take too long.
//
//   aoti-cts check --select 'TENSOR.threads*'   the built-in reference: PASS; and no report in a
//                                               build with -fsanitize=thread
//
// Assertions are recorded on the first thread alone: the others call the candidate through the
// table, keep what they saw in memory of their own, and are judged after they were joined. A
// barrier makes the threads' lifetimes overlap, so that a fault shows in every run.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "suite/growth.h"
#include "suite/tensor_makers.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {
namespace {

constexpr int thread_count = 8;
constexpr int rounds = 50;

/// All threads wait until all have come; usable again and again.
class Barrier {
 public:
  explicit Barrier(int count) : count_(count) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const int64_t generation = generation_;
    if (++waiting_ == count_) {
      waiting_ = 0;
      ++generation_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [&] { return generation_ != generation; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int count_;
  int waiting_ = 0;
  int64_t generation_ = 0;
};

/// What one thread found; the first wrong thing is kept.
struct Findings {
  int64_t steps = 0;
  std::string wrong;
  bool expect(bool right, const char* what) {
    ++steps;
    if (!right && wrong.empty()) wrong = what;
    return right;
  }
};

/// Runs body(index, findings) on all threads and judges what they found.
void on_threads(Case& c, const std::function<void(int, Findings&)>& body,
                int count = thread_count) {
  std::vector<Findings> findings(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  threads.reserve(findings.size());
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] { body(i, findings[static_cast<size_t>(i)]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < count; ++i) {
    const Findings& found = findings[static_cast<size_t>(i)];
    HAVE_WANT_AS(fmt::format("first wrong step of thread {}", i), found.wrong, std::string());
    HAVE_WANT_AS(fmt::format("thread {} took steps", i), found.steps > 0, true);
  }
}

/// Skips where a shim that the threads call is missing: from a thread no case can end.
void need_shims(Case& c) {
  for (const bool exported :
       {c.has(&AotiShimTable::aoti_torch_empty_strided),
        c.has(&AotiShimTable::aoti_torch_get_data_ptr), c.has(&AotiShimTable::aoti_torch_get_numel),
        c.has(&AotiShimTable::aoti_torch__reinterpret_tensor),
        c.has(&AotiShimTable::aoti_torch_clone),
        c.has(&AotiShimTable::aoti_torch_new_tensor_handle),
        c.has(&AotiShimTable::aoti_torch_copy_),
        c.has(&AotiShimTable::aoti_torch_delete_tensor_object)}) {
    if (!exported) c.skip("needs shims that the candidate does not export");
  }
}

/// Calls that may be made on any thread.
struct Calls {
  const AotiShimTable& table;

  /// What a failed call left in its output is no handle.
  static AtenTensorHandle given(AOTITorchError error, const AtenTensorHandle& out) {
    return error == 0 ? out : nullptr;
  }

  AtenTensorHandle empty(int64_t size) const {
    constexpr int64_t one = 1;
    AtenTensorHandle out = nullptr;
    return given(
        table.aoti_torch_empty_strided(1, &size, &one, float32().code, device_cpu, -1, &out), out);
  }
  AtenTensorHandle view(AtenTensorHandle self, int64_t size, int64_t offset) const {
    constexpr int64_t one = 1;
    AtenTensorHandle out = nullptr;
    return given(table.aoti_torch__reinterpret_tensor(self, 1, &size, &one, offset, &out), out);
  }
  AtenTensorHandle clone(AtenTensorHandle self) const {
    AtenTensorHandle out = nullptr;
    return given(table.aoti_torch_clone(self, &out), out);
  }
  AtenTensorHandle handle(AtenTensorHandle self) const {
    AtenTensorHandle out = nullptr;
    return given(table.aoti_torch_new_tensor_handle(self, &out), out);
  }
  float* data(AtenTensorHandle self) const {
    void* out = nullptr;
    if (self != nullptr) table.aoti_torch_get_data_ptr(self, &out);
    return static_cast<float*>(out);
  }
  /// What delete returns is TENSOR.delete-succeeds's; here the values of those that stay tell.
  void drop(AtenTensorHandle self) const {
    if (self != nullptr) table.aoti_torch_delete_tensor_object(self);
  }
};

constexpr int64_t length = 64;

void write_all(float* data, float value) {
  for (int64_t i = 0; i < length; ++i) data[i] = value;
}
bool holds(const float* data, float value, int64_t count = length) {
  for (int64_t i = 0; i < count; ++i) {
    if (data[i] != value) return false;
  }
  return true;
}

// --------------------------------------------------------------------------------------- threads

/// Each thread keeps a tensor of its own alive while the others do; then none has lost anything.
void own_tensors(const Calls& calls, Barrier& barrier, int index, Findings& found) {
  for (int round = 0; round < rounds; ++round) {
    const auto value = static_cast<float>(index * 1000 + round);
    const AtenTensorHandle tensor = calls.empty(length);
    float* data = calls.data(tensor);
    const bool made = found.expect(data != nullptr, "empty_strided");
    if (made) write_all(data, value);
    barrier.arrive_and_wait();
    if (made) {
      found.expect(holds(data, value), "values of the thread's own tensor");
      const AtenTensorHandle half = calls.view(tensor, length / 2, length / 2);
      found.expect(calls.data(half) == data + length / 2, "data pointer of a view");
      const AtenTensorHandle copy = calls.clone(tensor);
      const float* copied = calls.data(copy);
      found.expect(copied != nullptr && holds(copied, value), "values of a clone");
      for (const AtenTensorHandle handle : {half, tensor, copy}) calls.drop(handle);
    }
    barrier.arrive_and_wait();
  }
}

/// Each thread takes over the tensor that its neighbour made, reads it and deletes it.
void passed_on(const Calls& calls, Barrier& barrier, std::vector<AtenTensorHandle>& slots,
               int index, Findings& found) {
  for (int round = 0; round < rounds; ++round) {
    const AtenTensorHandle mine = calls.empty(length);
    if (float* data = calls.data(mine)) write_all(data, static_cast<float>(index));
    slots[static_cast<size_t>(index)] = mine;
    barrier.arrive_and_wait();
    const int neighbour = (index + 1) % thread_count;
    const AtenTensorHandle taken = slots[static_cast<size_t>(neighbour)];
    const float* data = calls.data(taken);
    if (found.expect(data != nullptr, "a tensor from another thread")) {
      found.expect(holds(data, static_cast<float>(neighbour)), "values from another thread");
      calls.drop(taken);
    }
    barrier.arrive_and_wait();
  }
}

/// Refused calls on one thread are nothing to another.
void errors_apart(const Calls& calls, int index, Findings& found) {
  for (int round = 0; round < rounds; ++round) {
    if (index % 2 == 0) {
      calls.drop(calls.empty(-1));  // that it is refused is TENSOR.negative-size's
      continue;
    }
    const AtenTensorHandle tensor = calls.empty(length);
    found.expect(tensor != nullptr, "empty_strided beside refused calls");
    calls.drop(tensor);
  }
  ++found.steps;
}

/// The last handle goes on a thread other than the one that made the tensor.
void outlives_its_thread(Case& c) {
  need_shims(c);
  const Calls calls{c.table()};
  AtenTensorHandle tensor = nullptr;
  std::thread([&] {
    tensor = calls.empty(length);
    if (float* data = calls.data(tensor)) write_all(data, 42);
  }).join();
  NEED(tensor != nullptr, true);
  for (int i = 0; i < thread_count; ++i) {
    std::thread([&] {
      const AtenTensorHandle other = calls.empty(length);
      if (float* data = calls.data(other)) write_all(data, 1);
      calls.drop(other);
    }).join();
  }
  const float* data = calls.data(tensor);
  NEED(data != nullptr, true);
  HAVE_WANT_AS("values after the thread that wrote them ended", holds(data, 42), true);
  calls.drop(tensor);
}

/// What another thread made of a tensor stays as that thread saw it when the thread has ended; a
/// copy also when the tensor has gone.
void derived_outlives_its_thread(Case& c, const Deriver& deriver, int64_t size) {
  need_shims(c);
  const Calls calls{c.table()};
  const Geometry g{"", {size}, {1}, 0};
  Tensor source = empty(c, g, float32());
  float* const values = calls.data(source.get());
  NEED(values != nullptr, true);
  std::fill_n(values, size, 42.0F);
  Tensor made;
  std::vector<float> seen;
  std::exception_ptr ended;
  // The first thread waits meanwhile, so that the other one may speak for the case.
  std::thread([&] {
    try {
      made = deriver.tensor(c, source.get(), g);
      if (const float* data = calls.data(made.get())) seen.assign(data, data + size);
    } catch (...) {
      ended = std::current_exception();
    }
  }).join();
  if (ended) std::rethrow_exception(ended);
  if (!deriver.shares) source.reset();
  for (int i = 0; i < thread_count; ++i) {
    const Tensor other = empty(c, g, float32());
    if (float* data = calls.data(other.get())) std::fill_n(data, size, 1.0F);
  }
  const float* data = calls.data(made.get());
  NEED(data != nullptr && !seen.empty(), true);
  HAVE_WANT_AS(fmt::format("{} values by {} are as its thread saw them", size, deriver.name),
               std::equal(seen.begin(), seen.end(), data), true);
}

}  // namespace

CLAUSE_CASES(TENSOR, threads) {
  cases.add("own_tensors", [](Case& c) {
    need_shims(c);
    const Calls calls{c.table()};
    Barrier barrier(thread_count);
    on_threads(c, [&](int index, Findings& found) { own_tensors(calls, barrier, index, found); });
  });
  cases.add("passed_on", [](Case& c) {
    need_shims(c);
    const Calls calls{c.table()};
    Barrier barrier(thread_count);
    std::vector<AtenTensorHandle> slots(thread_count, nullptr);
    on_threads(c,
               [&](int index, Findings& found) { passed_on(calls, barrier, slots, index, found); });
  });
  cases.add("errors_apart", [](Case& c) {
    need_shims(c);
    const Calls calls{c.table()};
    on_threads(c, [&](int index, Findings& found) { errors_apart(calls, index, found); });
  });
  cases.add("outlives_its_thread", outlives_its_thread);
  for (const Deriver& deriver : derivers()) {
    cases.add(fmt::format("{}_outlives_its_thread", deriver.name), [&deriver](Case& c) {
      derived_outlives_its_thread(c, deriver, length);
      derived_outlives_its_thread(c, deriver, int64_t{1} << 16);
    });
  }
}

// -------------------------------------------------------------------------------- threads_shared

namespace {

/// Each thread makes and drops handles and views on one storage and writes its own part of it.
void on_one_storage(Case& c, bool own_handle_first) {
  need_shims(c);
  const Calls calls{c.table()};
  const Geometry g{"", {length * thread_count}, {1}, 0};
  const Memory memory(g, float32());
  Tensor shared = from_blob(c, memory, g, float32());
  const AtenTensorHandle base = shared.get();
  Barrier barrier(thread_count);
  on_threads(c, [&](int index, Findings& found) {
    for (int round = 0; round < rounds; ++round) {
      barrier.arrive_and_wait();
      const AtenTensorHandle handle = own_handle_first ? calls.handle(base) : base;
      const AtenTensorHandle part =
          handle == nullptr ? nullptr : calls.view(handle, length, index * length);
      if (own_handle_first) calls.drop(handle);
      float* data = calls.data(part);
      if (!found.expect(data != nullptr, "a view of the shared storage")) continue;
      write_all(data, static_cast<float>(index * 1000 + round));
      calls.drop(part);
    }
  });
  for (int i = 0; i < thread_count; ++i) {
    const auto* part = reinterpret_cast<const float*>(memory.data()) + i * length;
    HAVE_WANT_AS(fmt::format("last values written by thread {}", i), part[0],
                 static_cast<float>(i * 1000 + rounds - 1));
    HAVE_WANT_AS(fmt::format("all values written by thread {}", i), holds(part, part[0]), true);
  }
  HAVE_WANT_AS("memory around", memory.canaries_intact(), true);
}

/// The storage is the candidate's own and the threads drop the last handles to it.
void last_handles_on_threads(Case& c) {
  need_shims(c);
  const Calls calls{c.table()};
  const Geometry g{"", {length}, {1}, 0};
  for (int round = 0; round < rounds; ++round) {
    Tensor base = empty(c, g, float32());
    float* data = calls.data(base.get());
    NEED(data != nullptr, true);
    write_all(data, static_cast<float>(round));
    std::vector<AtenTensorHandle> handles;
    handles.reserve(thread_count);
    for (int i = 0; i < thread_count; ++i) handles.push_back(calls.handle(base.get()));
    base.reset();
    Barrier barrier(thread_count);
    on_threads(c, [&](int index, Findings& found) {
      const AtenTensorHandle mine = handles[static_cast<size_t>(index)];
      const float* seen = calls.data(mine);
      if (!found.expect(seen != nullptr, "a handle to the shared storage")) return;
      barrier.arrive_and_wait();
      found.expect(holds(seen, static_cast<float>(round)), "values while handles are dropped");
      calls.drop(mine);
    });
  }
}

/// The count of a storage's handles stays right while threads make and drop them as fast as they
/// can: too low a count frees the storage under the handle that stays, too high a one never does.
struct Counted {
  static constexpr int steps = 1000;
  static constexpr int64_t bytes = 40 << 20;  // beyond the C library's heap: freed is gone
  static constexpr int64_t used = 4 << 20;

  static void all_steps(const Calls& calls, AtenTensorHandle base, Findings& found) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    for (int step = 0; step < steps && std::chrono::steady_clock::now() < end; ++step) {
      const AtenTensorHandle handle = calls.handle(base);
      const AtenTensorHandle part = calls.view(base, length, 0);
      found.expect(handle != nullptr && part != nullptr, "a handle and a view");
      calls.drop(handle);
      calls.drop(part);
    }
  }

  static void round(Case& c, int threads) {
    const Calls calls{c.table()};
    const Tensor base = empty(c, {"", {bytes / float32().size}, {1}, 0}, float32());
    std::byte* const data = get_data_ptr(c, base.get());
    NEED(data != nullptr, true);
    for (int64_t at = 0; at < used; at += 4096) data[at] = std::byte{7};
    Barrier barrier(threads);
    on_threads(
        c,
        [&](int, Findings& found) {
          barrier.arrive_and_wait();
          all_steps(calls, base.get(), found);
        },
        threads);
    int64_t kept = 0;
    for (int64_t at = 0; at < used; at += 4096) kept += data[at] == std::byte{7} ? 1 : 0;
    HAVE_WANT_AS("pages as they were", kept, used / 4096);
  }
};

void count_of_handles(Case& c) {
  need_shims(c);
  constexpr int most = 6;
  constexpr int64_t limit = 6 << 20;
  if (grows(c, most, limit, [&] { Counted::round(c, 1); })) {
    c.skip("what one thread makes and drops is not freed");
  }
  want_no_growth(c, "a storage of 40 MiB, 4 in use, whose handles threads made and dropped", most,
                 limit, [&] { Counted::round(c, 3); });
}

/// Concurrent reads of one source: clones and copies out of it.
void copies_of_one_source(Case& c) {
  need_shims(c);
  const Calls calls{c.table()};
  const Geometry g{"", {length}, {1}, 0};
  const Memory memory(g, float32());
  write_all(reinterpret_cast<float*>(memory.data()), 7);
  const Tensor source = from_blob(c, memory, g, float32());
  on_threads(c, [&](int, Findings& found) {
    for (int round = 0; round < rounds; ++round) {
      const AtenTensorHandle cloned = calls.clone(source.get());
      const float* data = calls.data(cloned);
      if (!found.expect(data != nullptr && holds(data, 7), "values of a clone")) continue;
      found.expect(calls.table.aoti_torch_copy_(cloned, source.get(), 0) == 0, "copy_");
      calls.drop(cloned);
    }
  });
}

}  // namespace

namespace {

void add_shared(CaseList& cases) {
  cases.add("views", [](Case& c) { on_one_storage(c, false); });
  cases.add("handles_and_views", [](Case& c) { on_one_storage(c, true); });
  cases.add("last_handles", last_handles_on_threads);
  cases.add("count_of_handles", count_of_handles);
  cases.add("copies_of_one_source", copies_of_one_source);
}

}  // namespace

CLAUSE_CASES(TENSOR, threads_shared) { add_shared(cases); }

// The same, as a clause that binds where Run is promised to be concurrent.
CLAUSE_CASES(TENSOR, threads_concurrent_run) { add_shared(cases); }

}  // namespace aoti_cts::suite
