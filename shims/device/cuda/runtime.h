// What the CUDA half of the reference shares: the error funnel of CUDA's calls, the scope in which
// a device is current, and the current streams.
#pragma once

#include <cuda_runtime_api.h>

#include "device/device.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// Throws Error "<call>: <name> (<code>)" for anything but success. The runtime's own last error is
/// taken back, so that nobody else in the process finds it there.
void check_cuda(cudaError_t error, const char* call);

/// Keeps the same text for throw_deferred() instead.
void defer_cuda(cudaError_t error, const char* call) noexcept;

/// Devices that there are; throws Error where there is none or no driver.
int32_t device_count();

/// The index as one that exists; throws Error otherwise. Every negative index is refused, -1 too:
/// a tensor reports the index it was made with, and -1 is none.
int32_t check_index(int32_t index);

/// Makes a device current for a scope. Throws Error when it cannot.
class OnDevice {
 public:
  explicit OnDevice(int32_t index);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int32_t before_ = 0;
  int32_t index_;
};

/// Makes a device current again after work elsewhere: tries twice, because to leave the wrong
/// device current is worse than to repeat a call.
cudaError_t restore_device(int32_t index) noexcept;

/// The stream that this thread's work on a device goes to; null is the default stream.
cudaStream_t current_stream(int32_t index);
void set_current_stream(int32_t index, cudaStream_t stream);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
