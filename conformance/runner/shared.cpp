// Mapping and futex calls behind shared.h.
#include "runner/shared.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <new>
#include <system_error>

namespace aoti_cts::runner {

void SharedCase::reset() {
  seal = sealed;
  end_seal = sealed;
  phase = Phase::None;
  body_pid = 0;
  assertions = 0;
  failures = 0;
  skipped = 0;
  baseline = 0;
  calls = 0;
  steps = 0;
  for (auto& entry : call) entry = 0;
  for (SharedFailure& entry : failure) {
    entry.what.length = 0;
    entry.have.length = 0;
    entry.want.length = 0;
  }
  findings = 0;
  for (SharedFinding& entry : finding) {
    entry.kind.length = 0;
    entry.clause.length = 0;
    entry.shim.length = 0;
    entry.text.length = 0;
  }
  inside.length = 0;
  kernel.length = 0;
  faults = 0;
  struck.length = 0;
  for (auto& count : cuda_calls) count = 0;
  refused.length = 0;
  skip.length = 0;
  saw.length = 0;
  error.length = 0;
}

SharedArea* map_area(std::size_t slots) {
  const std::size_t size = sizeof(SharedArea) + slots * sizeof(SharedSlot);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "mapping the runner's shared memory");
  }
  // Fresh pages are zero, which is the initial state of every field.
  return static_cast<SharedArea*>(memory);
}

void keep_only(SharedArea& area, std::size_t slots, const SharedSlot& slot) {
  for (std::size_t i = 0; i < slots; ++i) {
    SharedSlot& other = area.slot(i);
    if (&other != &slot) munmap(&other, sizeof(other));
  }
}

void futex_wait(const std::atomic<uint32_t>& word, uint32_t seen, int milliseconds) {
  static_assert(sizeof(word) == 4 && std::atomic<uint32_t>::is_always_lock_free);
  timespec limit{milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, milliseconds < 0 ? nullptr : &limit, nullptr, 0);
}

void futex_wake(const std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace aoti_cts::runner
