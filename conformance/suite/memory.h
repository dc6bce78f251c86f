// How much memory this process holds, for cases that ask whether something is kept.
#pragma once

#include <malloc.h>

#include <cstddef>

extern "C" __attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes();

namespace aoti_cts::suite {

/// Bytes that this process has allocated and not freed.
inline size_t allocated() {
  if (&__sanitizer_get_current_allocated_bytes != nullptr) {
    return __sanitizer_get_current_allocated_bytes();
  }
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace aoti_cts::suite
