// Bytes that end exactly where readable memory ends, so that reading one too many faults.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace aoti_cts::program::testing {

/// A read-only copy of some bytes between two pages without access; no alignment.
class Guarded {
 public:
  explicit Guarded(const std::vector<uint8_t>& bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (bytes.size() + page - 1) / page * page;
    map_bytes_ = inner + 2 * page;
    map_ = mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map_ == MAP_FAILED) throw std::runtime_error("mmap");
    auto* const start = static_cast<uint8_t*>(map_) + page;
    data_ = start + inner - bytes.size();
    if (bytes.empty()) return;
    if (mprotect(start, inner, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
    std::memcpy(data_, bytes.data(), bytes.size());
    mprotect(start, inner, PROT_READ);
  }
  ~Guarded() { munmap(map_, map_bytes_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  const uint8_t* data() const { return data_; }

 private:
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  uint8_t* data_ = nullptr;
};

}  // namespace aoti_cts::program::testing
