// The devices of this build, and moves between any two of them. An accelerator adds a line to
// find_backend().
#include "device/device.h"

#include <cstring>
#include <vector>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {
const DeviceBackend* find_backend(int32_t device_type) {
  switch (device_type) {
    case kCpu:
      return &cpu_backend();
#ifdef AOTI_REFERENCE_CUDA
    case kCuda:
      return &cuda_backend();
#endif
    default:
      return nullptr;
  }
}
}  // namespace

const DeviceBackend& backend_of(int32_t device_type) {
  if (const DeviceBackend* backend = find_backend(device_type)) return *backend;
  if (device_type == kCuda) throw Error("device_type 1 (cuda) is not supported in this build");
  refuse("device_type", device_type, "0 (cpu) or another type that this build supports");
}

Device resolve_device(int32_t device_type, int32_t device_index) {
  return backend_of(device_type).resolve(device_index);
}

const DeviceBackend* pinning_backend() { return find_backend(kCuda); }

void copy_bytes(Device to, void* to_data, Device from, const void* from_data, int64_t bytes) {
  if (bytes == 0) return;
  const DeviceBackend& to_backend = backend_of(to.type);
  const DeviceBackend& from_backend = backend_of(from.type);
  if (to_backend.host_addressable()) {
    from_backend.to_host(from, to_data, from_data, bytes);
  } else if (from_backend.host_addressable()) {
    to_backend.from_host(to, to_data, from_data, bytes);
  } else if (&to_backend != &from_backend ||
             !to_backend.move(to, to_data, from, from_data, bytes)) {
    std::vector<std::byte> between(static_cast<std::size_t>(bytes));
    from_backend.to_host(from, between.data(), from_data, bytes);
    to_backend.from_host(to, to_data, between.data(), bytes);
  }
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
