// The CUDA backend: memory of CUDA devices through the runtime API alone, without a kernel.
//
// Every move is complete when it returns, so that no work of this runtime is ever pending and the
// host may reuse its side at once. Memory comes from CUDA's stream-ordered allocator, as cudaMalloc
// costs a hundred times more; it is ready on every stream when allocate() returns, and it goes back
// on the stream it came from, or, where another one is current by then, after the whole device has
// come to rest.
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <unordered_map>

#include "device/cuda/runtime.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

/// Waits for a stream that is nearly always idle: asking is cheaper than waiting.
void settle(cudaStream_t stream) {
  const cudaError_t state = cudaStreamQuery(stream);
  if (state == cudaSuccess) return;
  if (state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
  (void)cudaGetLastError();
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// Waits for a move. A move that may still be under way must not outlive its memory, so a wait that
/// fails is followed by one for the whole device.
void finish(cudaStream_t stream) {
  const cudaError_t error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) (void)cudaDeviceSynchronize();
  check_cuda(error, "cudaStreamSynchronize");
}

void transfer(Device device, void* to, const void* from, int64_t bytes, cudaMemcpyKind kind) {
  const OnDevice scope(device.index);
  const cudaStream_t stream = current_stream(device.index);
  check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream),
             "cudaMemcpyAsync");
  finish(stream);
}

class CudaBackend final : public DeviceBackend {
 public:
  Device resolve(int32_t index) const override { return {kCuda, check_index(index)}; }

  void* allocate(Device device, int64_t bytes) const override {
    const OnDevice scope(device.index);
    keep_pool(device.index);
    const cudaStream_t stream = current_stream(device.index);
    void* data = nullptr;
    check_cuda(cudaMallocAsync(&data, static_cast<std::size_t>(bytes), stream), "cudaMallocAsync");
    try {
      settle(stream);
      const std::lock_guard lock(mutex_);
      origin_.emplace(data, stream);
    } catch (...) {
      (void)cudaFreeAsync(data, stream);
      throw;
    }
    return data;
  }

  void free(Device device, void* data) const noexcept override {
    try {
      const OnDevice scope(device.index);
      release(data, current_stream(device.index));
    } catch (const std::exception& error) {
      defer_error(error.what());
    }
  }

  void* allocate_pinned(int64_t bytes) const override {
    int count = 0;
    const cudaError_t state = cudaGetDeviceCount(&count);
    if (state == cudaErrorNoDevice || state == cudaErrorInsufficientDriver) {
      (void)cudaGetLastError();
      return nullptr;
    }
    check_cuda(state, "cudaGetDeviceCount");
    void* data = nullptr;
    check_cuda(cudaHostAlloc(&data, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
               "cudaHostAlloc");
    return data;
  }

  void free_pinned(void* data) const noexcept override {
    defer_cuda(cudaFreeHost(data), "cudaFreeHost");
  }

  bool host_addressable() const override { return false; }

  void to_host(Device device, void* host, const void* data, int64_t bytes) const override {
    transfer(device, host, data, bytes, cudaMemcpyDeviceToHost);
  }

  void from_host(Device device, void* data, const void* host, int64_t bytes) const override {
    transfer(device, data, host, bytes, cudaMemcpyHostToDevice);
  }

  bool move(Device to, void* to_data, Device from, const void* from_data,
            int64_t bytes) const override {
    if (to.index == from.index) {
      transfer(to, to_data, from_data, bytes, cudaMemcpyDeviceToDevice);
      return true;
    }
    {
      const OnDevice scope(from.index);
      settle(current_stream(from.index));
    }
    const OnDevice scope(to.index);
    const cudaStream_t stream = current_stream(to.index);
    check_cuda(cudaMemcpyPeerAsync(to_data, to.index, from_data, from.index,
                                   static_cast<std::size_t>(bytes), stream),
               "cudaMemcpyPeerAsync");
    finish(stream);
    return true;
  }

  void check_borrowed(Device device, const void* data) const override {
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
    const bool device_memory =
        attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    if (!device_memory) throw Error("data is not device memory");
    if (attributes.device != device.index) {
      refuse("device_index", device.index,
             "the one that data is on, " + std::to_string(attributes.device));
    }
  }

 private:
  /// Lets the device's pool keep what is freed, once per device: it would go back to the system at
  /// the next synchronisation, and every move is one.
  void keep_pool(int32_t index) const {
    const std::lock_guard lock(mutex_);
    if (kept_.count(index) != 0) return;
    cudaMemPool_t pool = nullptr;
    check_cuda(cudaDeviceGetDefaultMemPool(&pool, index), "cudaDeviceGetDefaultMemPool");
    uint64_t threshold = std::numeric_limits<uint64_t>::max();
    check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
               "cudaMemPoolSetAttribute");
    kept_.insert(index);
  }

  void release(void* data, cudaStream_t current) const {
    cudaStream_t origin = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found = origin_.find(data);
      if (found != origin_.end()) {
        origin = found->second;
        origin_.erase(found);
      }
    }
    if (origin == current) {
      check_cuda(cudaFreeAsync(data, current), "cudaFreeAsync");
      return;
    }
    // Its own stream may be gone by now, so nothing but the whole device can be waited for.
    const cudaError_t rest = cudaDeviceSynchronize();
    check_cuda(cudaFree(data), "cudaFree");
    check_cuda(rest, "cudaDeviceSynchronize");
  }

  mutable std::mutex mutex_;
  mutable std::unordered_map<void*, cudaStream_t> origin_;  // of what is allocated
  mutable std::set<int32_t> kept_;
};

}  // namespace

const DeviceBackend& cuda_backend() {
  // Never destroyed: storages of static handles outlive any order of destruction.
  static const CudaBackend& the_cuda = *new CudaBackend;  // NOLINT(cppcoreguidelines-owning-memory)
  return the_cuda;
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
