// How much memory and what else this process holds, for cases that ask whether something is kept.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

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

/// Bytes of this process's address space that are mapped, 0 where the system does not tell.
inline int64_t mapped() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  statm >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

/// Files that this process has open, 0 where the system does not tell.
inline int64_t open_files() {
  std::error_code unknown;
  const std::filesystem::directory_iterator files("/proc/self/fd", unknown);
  return std::distance(begin(files), end(files));
}

}  // namespace aoti_cts::suite
