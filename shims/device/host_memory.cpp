// Host memory from the C library's allocator.
#include "device/host_memory.h"

#include <cstdlib>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {
constexpr std::size_t kAlignment = 64;
}

void* take_host_memory(int64_t bytes) {
  const std::size_t rounded =
      (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) throw Error("out of memory: " + std::to_string(bytes) + " bytes on cpu");
  return data;
}

void give_host_memory(void* data, int64_t) noexcept { std::free(data); }

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
