// The CPU backend. A request beyond the machine's memory is refused here and never reaches the
// allocator, since overcommit would grant it and a sanitizer would abort.
#include <unistd.h>

#include <cstring>

#include "device/device.h"
#include "device/host_memory.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

int64_t physical_memory() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page_size = sysconf(_SC_PAGESIZE);
  int64_t bytes = 0;
  if (pages <= 0 || page_size <= 0 || __builtin_mul_overflow(pages, page_size, &bytes)) {
    throw Error("the size of the machine's memory is unknown");
  }
  return bytes;
}

class CpuBackend final : public DeviceBackend {
 public:
  // Every index means the one CPU, as in libtorch.
  Device resolve(int32_t) const override { return {kCpu, -1}; }

  void* allocate(Device, int64_t bytes) const override {
    static const int64_t limit = physical_memory();
    if (bytes > limit) {
      refuse("storage size in bytes", bytes, "at most the machine's " + std::to_string(limit));
    }
    return take_host_memory(bytes);
  }

  void free(Device, void* data, int64_t bytes) const noexcept override {
    give_host_memory(data, bytes);
  }
  void* allocate_pinned(int64_t) const override { return nullptr; }
  void free_pinned(void*) const noexcept override {}
  bool host_addressable() const override { return true; }

  void to_host(Device, void* host, const void* data, int64_t bytes) const override {
    std::memcpy(host, data, static_cast<std::size_t>(bytes));
  }
  void from_host(Device, void* data, const void* host, int64_t bytes) const override {
    std::memcpy(data, host, static_cast<std::size_t>(bytes));
  }
};

const CpuBackend the_cpu;

}  // namespace

const DeviceBackend& cpu_backend() { return the_cpu; }

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
