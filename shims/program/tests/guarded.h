// Bytes that end where readable memory ends, so that reading too far faults. The parser wants an
// aligned start, so up to 7 bytes remain before the page; AddressSanitizer guards those.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "aoti_program/program.h"

#if defined(__SANITIZE_ADDRESS__)
#define AOTI_CTS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AOTI_CTS_ASAN 1
#endif
#endif
#ifdef AOTI_CTS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace aoti_cts::program::testing {

/// A read-only copy of some bytes between two pages without access.
class Guarded {
 public:
  explicit Guarded(const std::vector<uint8_t>& bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t room = (bytes.size() + alignment - 1) / alignment * alignment;
    const size_t inner = (room + page - 1) / page * page;
    map_bytes_ = inner + 2 * page;
    map_ = mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map_ == MAP_FAILED) throw std::runtime_error("mmap");
    auto* const start = static_cast<uint8_t*>(map_) + page;
    data_ = start + inner - room;
    if (bytes.empty()) return;
    if (mprotect(start, inner, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
    std::memcpy(data_, bytes.data(), bytes.size());
    mprotect(start, inner, PROT_READ);
    slack_at_ = bytes.size();
    slack_ = room - bytes.size();
#ifdef AOTI_CTS_ASAN
    ASAN_POISON_MEMORY_REGION(data_ + slack_at_, slack_);
#endif
  }
  ~Guarded() {
#ifdef AOTI_CTS_ASAN
    ASAN_UNPOISON_MEMORY_REGION(data_ + slack_at_, slack_);
#endif
    munmap(map_, map_bytes_);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  const uint8_t* data() const { return data_; }

 private:
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  uint8_t* data_ = nullptr;
  size_t slack_at_ = 0;
  size_t slack_ = 0;
};

}  // namespace aoti_cts::program::testing
