// Counts the objects of a class that are alive. Handles are made and ended in a few nanoseconds, of
// which an atomic addition would be a third: while the process has one thread it is a plain one.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstdint>

#include "tensor/error.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

class LiveCount {
 public:
  void add(int64_t difference) noexcept {
    if (__libc_single_threaded != 0) {
      count_.store(get() + difference, std::memory_order_relaxed);
    } else {
      count_.fetch_add(difference, std::memory_order_relaxed);
    }
  }
  int64_t get() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> count_{0};
};

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
