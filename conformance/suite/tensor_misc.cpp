// Section TENSOR, what stands by itself: item_bool, grad mode, check and warn, pinned memory.
//
//   aoti-cts check --select 'TENSOR.check'      the built-in reference: PASS
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <exception>
#include <future>
#include <thread>

#include "suite/tensor_makers.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {

// ------------------------------------------------------------------------------------- item_bool

namespace {

AOTITorchError item(Case& c, AtenTensorHandle tensor, bool* out) {
  return SHIM(aoti_torch_item_bool)(tensor, out);
}

/// Every other byte of the memory holds the opposite value, so that a wrong offset shows.
void item_at(Case& c, const Geometry& g, bool value) {
  const Memory memory(g.offset + 8, value ? 0 : 1);
  store(memory.data(), g.offset, dtype("bool"), value ? 1 : 0);
  const Tensor tensor = from_blob(c, memory, g, dtype("bool"));
  Padded<bool> out;
  out.value = !value;
  NEED(item(c, tensor.get(), &out.value), 0);
  // The byte and not the bool: 255 reads as true, and compares equal to no true.
  unsigned char byte = 0;
  std::memcpy(&byte, &out.value, 1);
  HAVE_WANT_AS(fmt::format("byte that item_bool gives at offset {}", g.offset),
               fmt::format("{:#04x}", byte), std::string(value ? "0x01" : "0x00"));
}

void item_refused(Case& c, const std::vector<int64_t>& sizes) {
  const Geometry g{"", sizes, contiguous_strides(sizes), 0};
  const Memory memory(64, 1);
  const Tensor tensor = from_blob(c, memory.data(), g, dtype("bool"));
  Padded<bool> out;
  HAVE_WANT(item(c, tensor.get(), &out.value) != 0, true);
}

}  // namespace

CLAUSE_CASES(TENSOR, item_bool) {
  for (int64_t rank = 0; rank <= 8; ++rank) {
    for (const bool value : {false, true}) {
      cases.add(fmt::format("rank{}_{}", rank, value), [rank, value](Case& c) {
        const auto dims = static_cast<size_t>(rank);
        for (const int64_t offset : {0, 1, 5, 63, 64, 127, 128, 255, 256, 1000, 65539}) {
          item_at(c, {"", std::vector<int64_t>(dims, 1), std::vector<int64_t>(dims, 1), offset},
                  value);
          item_at(c, {"", std::vector<int64_t>(dims, 1), std::vector<int64_t>(dims, 97), offset},
                  value);
        }
      });
    }
  }
  cases.add("of_none_is_an_error", [](Case& c) { item_refused(c, {0}); });
  cases.add("of_2x0_is_an_error", [](Case& c) { item_refused(c, {2, 0}); });
  cases.add("of_2_is_an_error", [](Case& c) { item_refused(c, {2}); });
  cases.add("of_2x3_is_an_error", [](Case& c) { item_refused(c, {2, 3}); });
}

CLAUSE_CASES(TENSOR, item_convert) {
  for (const DType& type : core_dtypes) {
    if (type.code == dtype("bool").code) continue;
    cases.add(type.name, [type](Case& c) {
      const Geometry g{"", {1}, {1}, 0};
      const Memory memory(g, type);
      store(memory.data(), 0, type, encode(type, 2));
      const Tensor tensor = from_blob(c, memory, g, type);
      Padded<bool> out;
      const AOTITorchError error = item(c, tensor.get(), &out.value);
      c.saw(error != 0 ? "error" : out.value ? "converts" : "reads false for 2");
    });
  }
}

// ------------------------------------------------------------------------------------- grad mode

namespace {

bool grad_enabled(Case& c) { return SHIM(aoti_torch_grad_mode_is_enabled)(); }
void set_grad(Case& c, bool enabled) { SHIM(aoti_torch_grad_mode_set_enabled)(enabled); }

/// Neither what succeeds nor what is refused sets it to something else.
void other_calls_leave_grad_alone(Case& c) {
  const Geometry g{"", {4}, {1}, 0};
  const Geometry refused{"", {-4}, {1}, 0};
  const Memory memory(g, float32());
  const Tensor tensor = from_blob(c, memory, g, float32());
  set_grad(c, false);
  for (const Maker& maker : makers()) {
    for (const Geometry& one : {g, refused}) {
      AtenTensorHandle out = nullptr;
      const AOTITorchError error =
          maker.call(c, memory.data(), tensor.get(), arrays_of(one), {}, &out);
      if (error == 0) Tensor(c, out).reset();
      HAVE_WANT_AS(fmt::format("after {} of size {}", maker.name, one.sizes[0]), grad_enabled(c),
                   false);
    }
  }
  for (const int64_t size : {4, 3}) {
    const Tensor source = from_blob(c, memory, {"", {size}, {1}, 0}, float32());
    SHIM(aoti_torch_copy_)(tensor.get(), source.get(), 0);
    HAVE_WANT_AS(fmt::format("after copy_ of size {} to 4", size), grad_enabled(c), false);
  }
}

}  // namespace

CLAUSE_CASES(TENSOR, grad_mode) {
  cases.add("other_calls_change_nothing", other_calls_leave_grad_alone);
  cases.add("false_reads_false", [](Case& c) {
    set_grad(c, false);
    HAVE_WANT(grad_enabled(c), false);
    HAVE_WANT_AS("read again", grad_enabled(c), false);
  });
  cases.add("false_after_true_reads_false", [](Case& c) {
    set_grad(c, true);
    set_grad(c, false);
    HAVE_WANT(grad_enabled(c), false);
  });
  cases.add("reading_changes_nothing", [](Case& c) {
    const bool before = grad_enabled(c);
    for (int i = 0; i < 10; ++i) HAVE_WANT(grad_enabled(c), before);
  });
  cases.add("set_on_another_thread_changes_nothing_here", [](Case& c) {
    set_grad(c, true);  // may be refused: then false on both threads tells nothing, but is right
    const bool here = grad_enabled(c);
    bool there = true;
    std::thread([&] {
      c.table().aoti_torch_grad_mode_set_enabled(false);
      there = c.table().aoti_torch_grad_mode_is_enabled();
    }).join();
    HAVE_WANT_AS("on the thread that set false", there, false);
    HAVE_WANT_AS("on the other thread", grad_enabled(c), here);
  });
  cases.add("set_here_changes_nothing_on_a_running_thread", [](Case& c) {
    std::promise<void> started;
    std::promise<void> told;
    bool before = false;
    bool after = true;
    set_grad(c, true);
    std::thread other([&] {
      c.table().aoti_torch_grad_mode_set_enabled(true);
      before = c.table().aoti_torch_grad_mode_is_enabled();
      started.set_value();
      told.get_future().wait();
      after = c.table().aoti_torch_grad_mode_is_enabled();
    });
    started.get_future().wait();
    set_grad(c, false);
    told.set_value();
    other.join();
    HAVE_WANT_AS("on the other thread", after, before);
  });
}

CLAUSE_CASES(TENSOR, grad_refuse) {
  cases.add("set_true", [](Case& c) {
    set_grad(c, false);
    set_grad(c, true);
    c.saw(grad_enabled(c) ? "taken" : "refused");
  });
}

CLAUSE_CASES(TENSOR, grad_new_thread) {
  for (const bool parent : {false, true}) {
    cases.add(fmt::format("started_from_{}", parent), [parent](Case& c) {
      set_grad(c, parent);
      if (!c.has(&AotiShimTable::aoti_torch_grad_mode_is_enabled)) {
        c.skip("needs aoti_torch_grad_mode_is_enabled, which the candidate does not export");
      }
      bool there = false;
      std::thread([&] { there = c.table().aoti_torch_grad_mode_is_enabled(); }).join();
      c.saw(there ? "on" : "off");
    });
  }
}

// ----------------------------------------------------------------------------------------- check

namespace {

constexpr const char* check_func = "suite_function_name";
constexpr const char* check_file = "suite_file_name.cpp";
constexpr uint32_t check_line = 34567;
constexpr const char* check_message = "suite message: 7 is not 8";

/// How a failed check ended, judged in a process of its own.
struct Outcome {
  int status = 0;     ///< of waitpid
  std::string text;   ///< stdout and stderr, and what() of what was thrown
  bool heard = true;  ///< false where nothing but its end can be known
};

constexpr int exit_threw = 42;
constexpr int exit_threw_other = 43;
constexpr int exit_returned = 44;

/// what() of what the child caught, in memory that it shares: a candidate may leave no descriptor
/// to write to.
struct SharedWhat {
  size_t size;
  std::array<char, 4080> text;
};

/// The child's side: never comes back.
[[noreturn]] void fail_check(const AotiShimTable& table, int text_end, SharedWhat& shared) {
  signal(SIGALRM, SIG_DFL);
  alarm(20);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (text_end >= 0) dup2(text_end, stream);
  }
  int how = exit_returned;
  try {
    table.aoti_torch_check(false, check_func, check_file, check_line, check_message);
  } catch (const std::exception& e) {
    how = exit_threw;
    shared.size = std::min(strlen(e.what()), shared.text.size());
    std::memcpy(shared.text.data(), e.what(), shared.size);
  } catch (...) {
    how = exit_threw_other;
  }
  _exit(how);
}

Outcome failed_check(Case& c) {
  std::array<int, 2> ends{-1, -1};
  const bool has_pipe = ::pipe(ends.data()) == 0;
  void* memory =
      mmap(nullptr, sizeof(SharedWhat), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  NEED(memory != MAP_FAILED, true);
  const auto& shared = *static_cast<SharedWhat*>(memory);
  if (!c.has(&AotiShimTable::aoti_torch_check)) {
    c.skip("needs aoti_torch_check, which the candidate does not export");
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    fail_check(c.table(), ends[1], *static_cast<SharedWhat*>(memory));
  }
  close(ends[1]);
  NEED(child > 0, true);
  Outcome outcome;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while (has_pipe && (got = ::read(ends[0], part.data(), part.size())) > 0) {
    outcome.text.append(part.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  NEED(waitpid(child, &outcome.status, 0), child);
  outcome.text.append(shared.text.data(), std::min(shared.size, shared.text.size()));
  outcome.heard = has_pipe || shared.size > 0;
  return outcome;
}

std::string show_outcome(const Outcome& outcome) {
  if (WIFSIGNALED(outcome.status)) return fmt::format("signal {}", WTERMSIG(outcome.status));
  switch (WEXITSTATUS(outcome.status)) {
    case exit_threw:
      return "threw a std::exception";
    case exit_threw_other:
      return "threw something that is no std::exception";
    case exit_returned:
      return "returned";
    default:
      return fmt::format("exit {}", WEXITSTATUS(outcome.status));
  }
}

void check_says(Case& c, const std::string& what) {
  const Outcome outcome = failed_check(c);
  if (!outcome.heard) c.skip("needs a pipe for the text, and the candidate allows no descriptor");
  if (outcome.text.find(what) == std::string::npos) {
    c.fail("text of a failed check", fmt::format("\"{:.400}\"", outcome.text),
           fmt::format("\"{}\" in it", what));
  } else {
    HAVE_WANT(outcome.text.empty(), false);
  }
}

}  // namespace

CLAUSE_CASES(TENSOR, check) {
  cases.add("true_returns", [](Case& c) {
    for (int i = 0; i < 3; ++i) {
      SHIM(aoti_torch_check)(true, check_func, check_file, check_line, check_message);
    }
    HAVE_WANT_AS("returned", true, true);  // failing is not to get here
  });
  cases.add("warn_returns", [](Case& c) {
    for (int i = 0; i < 3; ++i) {
      SHIM(aoti_torch_warn)(check_func, check_file, check_line, check_message);
    }
    HAVE_WANT_AS("returned", true, true);
  });
  cases.add("false_does_not_return", [](Case& c) {
    const Outcome outcome = failed_check(c);
    const bool hung = WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGALRM;
    const bool wrong =
        WIFEXITED(outcome.status) && (WEXITSTATUS(outcome.status) == exit_returned ||
                                      WEXITSTATUS(outcome.status) == exit_threw_other);
    if (hung || wrong) {
      c.fail("a failed check", hung ? "hung" : show_outcome(outcome),
             "a thrown std::exception, or the end of the process");
    } else {
      HAVE_WANT_AS("returned", false, false);
    }
  });
  cases.add("false_says_the_file", [](Case& c) { check_says(c, check_file); });
  cases.add("false_says_the_line", [](Case& c) { check_says(c, std::to_string(check_line)); });
  cases.add("false_says_the_message", [](Case& c) { check_says(c, check_message); });
}

// ---------------------------------------------------------------------------------------- pinned

namespace {

AOTITorchError call_pinned(Case& c, const Geometry& g, const DType& type, int32_t device_type,
                           int32_t device_index, AtenTensorHandle* out) {
  return SHIM(aoti_torch_empty_strided_pinned)(g.rank(), args(g.sizes), args(g.strides), type.code,
                                               device_type, device_index, out);
}

void pinned_is_host_memory(Case& c, const Geometry& g, const DType& type) {
  AtenTensorHandle out = nullptr;
  if (call_pinned(c, g, type, device_cpu, -1, &out) != 0) {
    c.skip("no pinned memory here: an error without an accelerator is allowed");
  }
  NEED(out != nullptr, true);
  const Tensor tensor(c, out);
  HAVE_WANT_AS(g.name + " sizes", get_sizes(c, out, g.rank()), g.sizes);
  HAVE_WANT_AS(g.name + " strides", get_strides(c, out, g.rank()), g.strides);
  HAVE_WANT_AS(g.name + " dtype", get_dtype(c, out), type.code);
  HAVE_WANT_AS(g.name + " device type", get_device_type(c, out), device_cpu);
  HAVE_WANT_AS(g.name + " storage offset", get_storage_offset(c, out), int64_t{0});
  HAVE_WANT_AS(g.name + " storage bytes", get_storage_size(c, out), extent(g) * type.size);
  if (numel(g.sizes) == 0) return;
  std::byte* data = get_data_ptr(c, out);
  NEED(data != nullptr, true);
  const Memory want(g, type);
  fill(data, g, type);
  fill(want.data(), g, type);
  HAVE_WANT_AS(g.name + " written and read", read(data, g, type), read(want.data(), g, type));
}

}  // namespace

CLAUSE_CASES(TENSOR, pinned) {
  for (const DType& type : core_dtypes) {
    for (const int64_t rank : {0, 1, 2, 3, 5, 8}) {
      cases.add(fmt::format("{}_rank{}", type.name, rank), [type, rank](Case& c) {
        for (const Geometry& g : geometries(rank)) pinned_is_host_memory(c, g, type);
      });
    }
  }
}

CLAUSE_CASES(TENSOR, pinned_pageable) {
  cases.add("device_cpu", [](Case& c) {
    AtenTensorHandle out = nullptr;
    const AOTITorchError error = call_pinned(c, {"", {4}, {1}, 0}, float32(), device_cpu, -1, &out);
    c.saw(error == 0 ? "memory" : "error");
  });
}

CLAUSE_CASES(TENSOR, pinned_device) {
  for (const int32_t index : {-1, 0, 1}) {
    cases.add(fmt::format("cuda_index_{}", index < 0 ? "minus1" : std::to_string(index)),
              [index](Case& c) {
                want_error(c, "empty_strided_pinned on cuda", [&](AtenTensorHandle* out) {
                  return call_pinned(c, {"", {4}, {1}, 0}, float32(), device_cuda, index, out);
                });
              });
  }
}

}  // namespace aoti_cts::suite
