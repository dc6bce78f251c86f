// Devices: their identity, and the seam between tensor code and memory. Tensor code never touches
// memory but through a DeviceBackend, so that an accelerator is one more implementation of it.
#pragma once

#include <cstddef>

#include "tensor/error.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// Device type codes (c10::DeviceType).
inline constexpr int32_t kCpu = 0;
inline constexpr int32_t kCuda = 1;

/// Where memory is. The index of a CPU is -1: it has no index.
struct Device {
  int32_t type = kCpu;
  int32_t index = -1;
  friend bool operator==(const Device&, const Device&) = default;
};

/// Memory of one device type. Implementations are stateless or synchronised: shims of any thread
/// call them. What fails throws Error, but for free().
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;

  /// The device that a caller's index means; throws Error for an index that does not exist.
  virtual Device resolve(int32_t index) const = 0;

  /// `bytes` > 0 of uninitialised memory, aligned to at least 64 bytes; end it with free().
  virtual void* allocate(Device device, int64_t bytes) const = 0;
  /// `bytes` as allocated. What goes wrong is kept for throw_deferred().
  virtual void free(Device device, void* data, int64_t bytes) const noexcept = 0;

  /// Page-locked host memory, or null where this backend has none to offer.
  virtual void* allocate_pinned(int64_t bytes) const = 0;
  virtual void free_pinned(void* data) const noexcept = 0;

  /// True where the host may read and write the memory in place.
  virtual bool host_addressable() const = 0;

  /// Move bytes between this device and host memory; complete on return.
  virtual void to_host(Device device, void* host, const void* data, int64_t bytes) const = 0;
  virtual void from_host(Device device, void* data, const void* host, int64_t bytes) const = 0;

  /// Moves bytes between memory of two devices of this type, complete on return. False where that
  /// has to go through the host.
  virtual bool move(Device to, void* to_data, Device from, const void* from_data,
                    int64_t bytes) const {
    (void)to, (void)to_data, (void)from, (void)from_data, (void)bytes;
    return false;
  }

  /// Throws Error where memory that a caller lends as this device's is known not to be.
  virtual void check_borrowed(Device device, const void* data) const { (void)device, (void)data; }
};

/// The backend of a device type, judged as the int32 it is; throws Error where this build has none.
const DeviceBackend& backend_of(int32_t device_type);

/// The device that a caller's pair means; throws Error for a type or index that does not exist.
Device resolve_device(int32_t device_type, int32_t device_index);

/// The backend that offers page-locked host memory, or null.
const DeviceBackend* pinning_backend();

const DeviceBackend& cpu_backend();

/// In builds for CUDA only (AOTI_REFERENCE_CUDA): device/cuda/.
const DeviceBackend& cuda_backend();

/// Moves bytes between any two devices; the ranges must not overlap partly.
void copy_bytes(Device to, void* to_data, Device from, const void* from_data, int64_t bytes);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
