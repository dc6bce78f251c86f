#include "device/cuda/runtime.h"

#include <cstdio>
#include <vector>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {
// Indexed by device; as long as the largest index that a stream was set for.
thread_local std::vector<cudaStream_t> streams;

std::string text_of(cudaError_t error, const char* call) {
  return std::string(call) + ": " + cudaGetErrorName(error) + " (" +
         std::to_string(static_cast<int>(error)) + ")";
}
}  // namespace

void check_cuda(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();
  throw Error(text_of(error, call));
}

void defer_cuda(cudaError_t error, const char* call) noexcept {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();
  char text[128];
  std::snprintf(text, sizeof text, "%s: %s (%d)", call, cudaGetErrorName(error),
                static_cast<int>(error));
  defer_error(text);
}

int32_t device_count() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

int32_t check_index(int32_t index) {
  const int32_t count = device_count();
  if (index < 0 || index >= count) {
    refuse("device_index", index, "from 0 to " + std::to_string(count - 1));
  }
  return index;
}

OnDevice::OnDevice(int32_t index) : index_(index) {
  check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
  if (before_ != index_) check_cuda(cudaSetDevice(index_), "cudaSetDevice");
}

OnDevice::~OnDevice() {
  if (before_ != index_) defer_cuda(restore_device(before_), "cudaSetDevice");
}

cudaError_t restore_device(int32_t index) noexcept {
  const cudaError_t first = cudaSetDevice(index);
  if (first == cudaSuccess) return first;
  (void)cudaGetLastError();
  return cudaSetDevice(index);
}

cudaStream_t current_stream(int32_t index) {
  const auto at = static_cast<std::size_t>(index);
  return at < streams.size() ? streams[at] : nullptr;
}

void set_current_stream(int32_t index, cudaStream_t stream) {
  const auto at = static_cast<std::size_t>(index);
  if (at >= streams.size()) streams.resize(at + 1, nullptr);
  streams[at] = stream;
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
