// What main process, fork server and case children say to one another, in one shared mapping per
// job.
//
// Shared memory and futexes, not pipes: a candidate may close, duplicate or write to any
// descriptor. Everything here is plain fixed-size storage that a dying process may leave
// half-written; texts are followed by their length, stored last, and the reader clamps every length
// and index. Only one side writes a given field at a time: the main process while a slot is idle,
// then its server or child.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "virtual_cuda/faults.h"

namespace aoti_cts::runner {

/// A text in shared memory; longer ones are cut.
template <std::size_t N>
struct SharedText {
  std::atomic<uint32_t> length;
  char bytes[N];

  void store(std::string_view text) {
    const std::size_t size = text.size() < N ? text.size() : N;
    std::memcpy(bytes, text.data(), size);
    length.store(static_cast<uint32_t>(size), std::memory_order_release);
  }
  void append(std::string_view text) {
    const std::size_t old = size();
    const std::size_t added = text.size() < N - old ? text.size() : N - old;
    std::memcpy(bytes + old, text.data(), added);
    length.store(static_cast<uint32_t>(old + added), std::memory_order_release);
  }
  std::size_t size() const {
    const std::size_t stored = length.load(std::memory_order_acquire);
    return stored < N ? stored : N;
  }
  std::string load() const { return {bytes, size()}; }
};

struct SharedFailure {
  SharedText<252> what;
  SharedText<764> have;
  SharedText<764> want;
};

inline constexpr uint32_t kept_failures = 8;
inline constexpr uint32_t kept_calls = 16;
inline constexpr uint32_t kept_findings = 8;

/// What the virtual CUDA device found the candidate doing.
struct SharedFinding {
  SharedText<28> kind;
  SharedText<60> clause;
  SharedText<60> shim;
  SharedText<252> text;
};

/// How far a child got.
enum class Phase : uint32_t {
  None,       ///< not started
  Loading,    ///< a cold child is loading the candidate
  Body,       ///< in the case's body
  LoadError,  ///< dlopen failed; the text is in `error`
  NotRun,     ///< GoogleTest did not run exactly the one test; a fault of ours
  Done,       ///< finished
};

/// What one case said. Reset by the main process before each case.
struct SharedCase {
  uint64_t seal;  ///< `sealed`, as the one at the end: who overwrites everything breaks them
  std::atomic<Phase> phase;
  std::atomic<int32_t> body_pid;  ///< only this process may say Done: shims may fork
  std::atomic<uint64_t> assertions;
  std::atomic<uint64_t> failures;
  std::atomic<uint32_t> skipped;
  std::atomic<uint64_t> baseline;  ///< private bytes when the candidate was loaded; 0 unknown
  std::atomic<uint64_t> calls;     ///< shims called so far
  std::atomic<uint64_t> steps;     ///< begun so far; the time limit is for each
  /// Ring of the last calls: row of the manifest plus 1, `returned_bit` once the call came back.
  std::atomic<uint32_t> call[kept_calls];
  SharedFailure failure[kept_failures];
  std::atomic<uint32_t> faults;  ///< injected ones that struck
  SharedText<508> struck;        ///< which
  /// Calls that a fault could have struck, by row of functions.def; counted where any is injected.
  std::atomic<uint32_t> cuda_calls[vcuda::function_count];
  std::atomic<uint32_t> findings;
  SharedFinding finding[kept_findings];
  SharedText<252> inside;   ///< code of the candidate that is no shim, while it runs
  SharedText<252> kernel;   ///< the first kernel whose launch the virtual device refused
  SharedText<252> refused;  ///< the first CUDA function that it does not have
  SharedText<508> skip;
  SharedText<1020> saw;
  SharedText<1020> error;

  uint64_t end_seal;

  static constexpr uint32_t returned_bit = 1U << 31U;
  static constexpr uint64_t sealed = 0x5ea1ed0fca5e0001;

  void reset();
};

/// How far a server got.
enum class ServerPhase : uint32_t { Loading, Ready, LoadError };

/// One job: a server and the case that it runs.
///
/// Whole pages, so that a server can give up those of the other jobs.
struct alignas(4096) SharedSlot {
  std::atomic<uint32_t> command;     ///< futex; the main process adds 1 to start `case_index`
  std::atomic<uint32_t> ended;       ///< the last command that has ended
  std::atomic<uint32_t> case_index;  ///< into the list that both sides hold
  std::atomic<uint32_t> finished;    ///< the last command whose case ended and whose child lives on
  std::atomic<uint32_t> stay;        ///< whether the child waits for another case after this one
  std::atomic<uint32_t> leave;       ///< tells a child that waits to end
  std::atomic<int32_t> pid;          ///< the running child; 0 before it and once it is to be reaped
  std::atomic<int32_t> wait_status;  ///< of the child that ended
  std::atomic<int32_t> fork_errno;   ///< why the server could not fork
  std::atomic<int32_t> stopped;      ///< the signal that stopped the running child; 0 for none
  std::atomic<ServerPhase> phase;
  std::atomic<uint32_t> threads_added;  ///< by loading the candidate
  std::atomic<uint32_t> shims_found;
  std::atomic<uint64_t> baseline;  ///< private bytes of the server once it has loaded
  SharedText<1020> error;          ///< dlerror of a failed load
  SharedText<252> hint;            ///< prefixes under which shims were found instead
  SharedCase running;
};

/// One mapping for all jobs; `bell` is the futex that wakes the main process.
struct alignas(4096) SharedArea {
  std::atomic<uint32_t> bell;

  SharedSlot& slot(std::size_t index) { return reinterpret_cast<SharedSlot*>(this + 1)[index]; }
};

/// Maps an area for that many slots, zeroed; never unmapped. Throws std::system_error.
SharedArea* map_area(std::size_t slots);

/// Unmaps all `slots` of the area but this one from the calling process: what a candidate writes at
/// random must not cost other jobs their results.
void keep_only(SharedArea& area, std::size_t slots, const SharedSlot& slot);

/// Sleeps until `word` is no longer `seen`, or `milliseconds` passed (negative: for ever).
void futex_wait(const std::atomic<uint32_t>& word, uint32_t seen, int milliseconds);
void futex_wake(const std::atomic<uint32_t>& word);

}  // namespace aoti_cts::runner
