// The CUDA backend: memory of CUDA devices through the runtime API alone, without a kernel.
//
// Every move is complete when it returns, so that no work of this runtime is ever pending and the
// host may reuse its side at once. Memory comes from CUDA's stream-ordered allocator, as cudaMalloc
// costs a hundred times more; it is ready on every stream when allocate() returns, and it goes back
// on the stream it came from, or, where another one is current by then, after the whole device has
// come to rest. Of what the default stream gives back, a few blocks stay here for the next tensor
// of that size: even the ordered allocator takes longer than all the rest of making a tensor. Other
// streams keep none, as a stream that was destroyed may come back under its old handle.
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

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
    const cudaStream_t stream = current_stream(device.index);
    const auto size = static_cast<std::size_t>(bytes);
    void* data = take_or_allocate(device.index, size, stream);
    try {
      settle(stream);
      if (stream == nullptr) return data;
      const std::lock_guard lock(mutex_);
      origin_.emplace(data, stream);
    } catch (...) {
      (void)cudaFreeAsync(data, stream);
      throw;
    }
    return data;
  }

  void free(Device device, void* data, int64_t bytes) const noexcept override {
    try {
      const OnDevice scope(device.index);
      release(device.index, data, static_cast<std::size_t>(bytes));
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

  /// Blocks of one device's default stream that wait for the next tensor of their size.
  struct Idle {
    struct Block {
      void* data;
      std::size_t bytes;
    };
    std::vector<Block> blocks;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t idle_blocks = 8;
  static constexpr std::size_t idle_bytes = std::size_t{256} << 20;

  void* take_or_allocate(int32_t index, std::size_t bytes, cudaStream_t stream) const {
    if (stream == nullptr) {
      if (void* data = take_idle(index, bytes)) return data;
    }
    keep_pool(index);
    void* data = nullptr;
    cudaError_t error = cudaMallocAsync(&data, bytes, stream);
    if (error == cudaErrorMemoryAllocation && give_back_idle(index)) {
      (void)cudaGetLastError();
      error = cudaMallocAsync(&data, bytes, stream);
    }
    check_cuda(error, "cudaMallocAsync");
    return data;
  }

  void* take_idle(int32_t index, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    const auto found = idle_.find(index);
    if (found == idle_.end()) return nullptr;
    Idle& idle = found->second;
    // The block that came last first: it is the likeliest to be in a cache of the device.
    for (auto block = idle.blocks.rbegin(); block != idle.blocks.rend(); ++block) {
      if (block->bytes != bytes) continue;
      void* const data = block->data;
      idle.bytes -= bytes;
      idle.blocks.erase(std::next(block).base());
      return data;
    }
    return nullptr;
  }

  /// False where there is no more room for it.
  bool keep_idle(int32_t index, void* data, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    Idle& idle = idle_[index];
    if (idle.blocks.size() >= idle_blocks || bytes > idle_bytes - idle.bytes) return false;
    idle.blocks.push_back({data, bytes});
    idle.bytes += bytes;
    return true;
  }

  /// True where there was any, so that an allocation is worth another try once it is back.
  bool give_back_idle(int32_t index) const {
    Idle idle;
    {
      const std::lock_guard lock(mutex_);
      std::swap(idle, idle_[index]);
    }
    for (const Idle::Block& block : idle.blocks) {
      defer_cuda(cudaFreeAsync(block.data, nullptr), "cudaFreeAsync");
    }
    if (idle.blocks.empty()) return false;
    return cudaStreamSynchronize(nullptr) == cudaSuccess;
  }

  cudaStream_t forget_origin(void* data) const {
    const std::lock_guard lock(mutex_);
    const auto found = origin_.find(data);
    if (found == origin_.end()) return nullptr;
    const cudaStream_t origin = found->second;
    origin_.erase(found);
    return origin;
  }

  void release(int32_t index, void* data, std::size_t bytes) const {
    const cudaStream_t current = current_stream(index);
    const cudaStream_t origin = forget_origin(data);
    if (origin == current) {
      if (current == nullptr && keep_idle(index, data, bytes)) return;
      check_cuda(cudaFreeAsync(data, current), "cudaFreeAsync");
      return;
    }
    // Its own stream may be gone by now, so nothing but the whole device can be waited for.
    const cudaError_t rest = cudaDeviceSynchronize();
    check_cuda(cudaFree(data), "cudaFree");
    check_cuda(rest, "cudaDeviceSynchronize");
  }

  mutable std::mutex mutex_;
  // Of what is allocated on another stream than the default one.
  mutable std::unordered_map<void*, cudaStream_t> origin_;
  mutable std::unordered_map<int32_t, Idle> idle_;
  mutable std::set<int32_t> kept_;
};

}  // namespace

const DeviceBackend& cuda_backend() {
  // Never destroyed: storages of static handles outlive any order of destruction.
  static const CudaBackend& the_cuda = *new CudaBackend;  // NOLINT(cppcoreguidelines-owning-memory)
  return the_cuda;
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
