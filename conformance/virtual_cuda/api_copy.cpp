// Copies and fills: direction, bounds, owner and order are judged here.
#include <algorithm>
#include <cstring>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

std::uintptr_t number(const void* ptr) { return reinterpret_cast<std::uintptr_t>(ptr); }

/// A rectangle of bytes; a plain copy has one row.
struct Shape {
  std::size_t width, height, dst_pitch, src_pitch;
};

std::size_t extent(std::size_t pitch, const Shape& shape) {
  return pitch * (shape.height - 1) + shape.width;
}

struct Side {
  std::uintptr_t at = 0;
  std::size_t bytes = 0;
  const Allocation* memory = nullptr;  ///< null: pageable
  bool on_device() const { return memory != nullptr && memory->home == Home::Device; }
  bool deferrable() const { return memory != nullptr; }
};

/// Looks one side up; false with a finding when no byte may be touched there.
bool look_up(Side& side, const char* function, const char* word) {
  side.memory = allocation_at(side.at);
  if (side.memory == nullptr) {
    if (Region::device_of(side.at) < 0) return true;
    find("out_of_bounds", side.at, "%s %s 0x%zx, which is no live memory of cuda:%d", function,
         word, static_cast<std::size_t>(side.at), Region::device_of(side.at));
    return false;
  }
  const Allocation& memory = *side.memory;
  if (memory.state != Allocation::State::Live) {
    find("use_after_free", side.at, "%s %s %s after it was freed", function, word,
         describe(memory).c_str());
    if (memory.state == Allocation::State::Freed) return false;
  }
  if (side.bytes > memory.bytes - (side.at - memory.base)) {
    find("out_of_bounds", side.at, "%s %s %zu bytes at offset %zu of %s", function, word,
         side.bytes, static_cast<std::size_t>(side.at - memory.base), describe(memory).c_str());
    return false;
  }
  return true;
}

bool fits_kind(const Side& side, bool device_by_kind) {
  if (side.memory == nullptr) return !device_by_kind;
  // Managed and page-locked memory is the device's as well as the host's.
  return !side.on_device() || device_by_kind;
}

cudaError_t check_direction(const Side& dst, const Side& src, cudaMemcpyKind kind,
                            const char* function) {
  if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (kind == cudaMemcpyDefault) return cudaSuccess;
  static constexpr const char* kinds[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                          "DeviceToDevice"};
  const bool dst_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool src_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool dst_fits = fits_kind(dst, dst_device);
  if (dst_fits && fits_kind(src, src_device)) return cudaSuccess;
  const Side& wrong = dst_fits ? src : dst;
  find("wrong_direction", wrong.at, "%s with cudaMemcpy%s, but the %s is %s memory", function,
       kinds[kind], dst_fits ? "source" : "destination", wrong.on_device() ? "device" : "host");
  // A real device takes host to host for any copy there is.
  return kind == cudaMemcpyHostToHost ? cudaSuccess : cudaErrorInvalidValue;
}

/// Memory of cudaMallocAsync is open to the device that it is on and, before cudaMemPoolSetAccess,
/// to no other, whatever peers were enabled: a real device refuses such a copy.
bool closed_to(const Side& side, const StreamObject& stream) {
  return side.on_device() && side.memory->pooled && side.memory->device != stream.device &&
         !World::get().pools_open;
}

void judge_stream(const Side& dst, const Side& src, const StreamObject& stream,
                  const char* function) {
  if (!dst.on_device() && !src.on_device()) return;
  if (dst.on_device() && dst.memory->device == stream.device) return;
  if (src.on_device() && src.memory->device == stream.device) return;
  const Side& side = dst.on_device() ? dst : src;
  find("stream_device", side.at, "%s of %s on a stream of cuda:%d", function,
       describe(*side.memory).c_str(), stream.device);
}

void copy_bytes(std::uintptr_t dst, const unsigned char* from, std::size_t src_pitch,
                const Shape& shape) {
  unsigned char* to = bytes_at(dst);
  if (to == nullptr || from == nullptr) return;
  for (std::size_t row = 0; row < shape.height; ++row) {
    std::memmove(to + row * shape.dst_pitch, from + row * src_pitch, shape.width);
  }
}

/// What a copy in the default stream waits for beside its own stream: all earlier work of the
/// devices whose memory it touches.
std::vector<std::shared_ptr<Op>> earlier_work(const Side& dst, const Side& src) {
  std::vector<std::shared_ptr<Op>> work;
  for (StreamObject* stream : all_streams()) {
    if (stream->queue.empty() || (!stream->legacy && !stream->blocking())) continue;
    const bool concerned = (dst.on_device() && dst.memory->device == stream->device) ||
                           (src.on_device() && src.memory->device == stream->device);
    if (concerned) work.push_back(stream->queue.back());
  }
  return work;
}

std::shared_ptr<Op> enqueue_copy(StreamObject* stream, const char* function, const Side& dst,
                                 const Side& src, const Shape& shape,
                                 std::vector<std::shared_ptr<Op>> after) {
  std::vector<Op::Use> uses{{dst.at, dst.at + dst.bytes, true}};
  if (!src.deferrable() && dst.on_device()) {
    // CUDA stages pageable memory before it returns: the caller may overwrite the source at once.
    auto staged = std::make_shared<std::vector<unsigned char>>(shape.width * shape.height);
    for (std::size_t row = 0; row < shape.height; ++row) {
      std::memcpy(staged->data() + row * shape.width, bytes_at(src.at) + row * shape.src_pitch,
                  shape.width);
    }
    return enqueue(
        stream, function, std::move(uses),
        [staged, shape, at = dst.at] { copy_bytes(at, staged->data(), shape.width, shape); },
        std::move(after));
  }
  uses.push_back({src.at, src.at + src.bytes, false});
  return enqueue(
      stream, function, std::move(uses),
      [shape, to = dst.at, from = src.at] {
        copy_bytes(to, bytes_at(from), shape.src_pitch, shape);
      },
      std::move(after));
}

/// One copy. `on` is null for the synchronous calls, which run in the default stream.
cudaError_t copy(aoti_cts_vcuda_call& call, void* to, const void* from, const Shape& shape,
                 cudaMemcpyKind kind, const cudaStream_t* on, bool peer = false) {
  call.dst = number(to);
  call.src = number(from);
  call.bytes = shape.width * shape.height;
  call.kind = static_cast<int32_t>(kind);
  call.stream = on != nullptr ? number(*on) : 0;
  StreamObject* stream = resolve(on != nullptr ? *on : nullptr, call.function);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (call.bytes == 0) return cudaSuccess;
  Side dst{call.dst, extent(shape.dst_pitch, shape), nullptr};
  Side src{call.src, extent(shape.src_pitch, shape), nullptr};
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  if (!look_up(dst, call.function, "writes") || !look_up(src, call.function, "reads")) {
    return cudaErrorInvalidValue;
  }
  const cudaError_t direction = check_direction(dst, src, kind, call.function);
  if (direction != cudaSuccess) return direction;
  if (!peer && (closed_to(dst, *stream) || closed_to(src, *stream))) return cudaErrorInvalidValue;
  if (on != nullptr) judge_stream(dst, src, *stream, call.function);
  const bool in_default = stream->legacy;
  const auto op =
      enqueue_copy(stream, call.function, dst, src, shape,
                   in_default ? earlier_work(dst, src) : std::vector<std::shared_ptr<Op>>{});
  const bool host_waits = on == nullptr ? !(dst.on_device() && src.on_device()) : !dst.deferrable();
  if (host_waits) complete(op);
  return cudaSuccess;
}

cudaError_t fill(aoti_cts_vcuda_call& call, void* to, int value, std::size_t bytes,
                 const cudaStream_t* on) {
  call.dst = number(to);
  call.bytes = bytes;
  call.stream = on != nullptr ? number(*on) : 0;
  StreamObject* stream = resolve(on != nullptr ? *on : nullptr, call.function);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  Side dst{call.dst, bytes, nullptr};
  if (!look_up(dst, call.function, "fills")) return cudaErrorInvalidValue;
  if (dst.memory == nullptr) {
    find("wrong_direction", dst.at, "%s of host memory 0x%zx", call.function,
         static_cast<std::size_t>(dst.at));
    return cudaErrorInvalidValue;
  }
  if (on != nullptr) judge_stream(dst, Side{}, *stream, call.function);
  const auto op = enqueue(
      stream, call.function, {{dst.at, dst.at + bytes, true}},
      [at = dst.at, value, bytes] {
        unsigned char* data = bytes_at(at);
        if (data != nullptr) std::memset(data, value, bytes);
      },
      stream->legacy ? earlier_work(dst, Side{}) : std::vector<std::shared_ptr<Op>>{});
  if (on == nullptr && !dst.on_device()) complete(op);
  return cudaSuccess;
}

cudaError_t copy_peer(aoti_cts_vcuda_call& call, void* to, int to_device, const void* from,
                      int from_device, std::size_t bytes, const cudaStream_t* on) {
  const int devices = World::get().devices;
  if (to_device < 0 || to_device >= devices || from_device < 0 || from_device >= devices) {
    return cudaErrorInvalidDevice;
  }
  const Allocation* dst = allocation_at(number(to));
  const Allocation* src = allocation_at(number(from));
  if (bytes != 0 && ((dst != nullptr && dst->device != to_device) ||
                     (src != nullptr && src->device != from_device))) {
    find("wrong_direction", number(to), "%s from cuda:%d to cuda:%d, but the memory is %s and %s",
         call.function, from_device, to_device,
         src != nullptr ? describe(*src).c_str() : "of the host",
         dst != nullptr ? describe(*dst).c_str() : "of the host");
    return cudaErrorInvalidValue;
  }
  return copy(call, to, from, {bytes, 1, bytes, bytes}, cudaMemcpyDeviceToDevice, on, true);
}

/// Where a device variable lives on the current device; made when it is first asked for.
std::uintptr_t symbol_address(const void* symbol, std::size_t& bytes) {
  World& world = World::get();
  const auto it = world.symbols.find(symbol);
  if (it == world.symbols.end()) return 0;
  bytes = it->second.bytes;
  std::uintptr_t& at = it->second.at[static_cast<std::size_t>(self().device)];
  if (at == 0) {
    Allocation* made = allocate_device(self().device, bytes, false);
    if (made == nullptr) return 0;
    made->excused = true;  // lives as long as its module
    at = made->base;
  }
  return at;
}

cudaError_t copy_symbol(aoti_cts_vcuda_call& call, const void* symbol, std::size_t offset, void* to,
                        const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  std::size_t size = 0;
  const std::uintptr_t at = symbol_address(symbol, size);
  if (at == 0) return cudaErrorInvalidSymbol;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  auto* device = reinterpret_cast<void*>(at + offset);  // NOLINT(performance-no-int-to-ptr)
  return copy(call, to == nullptr ? device : to, from == nullptr ? device : from,
              {bytes, 1, bytes, bytes}, kind, nullptr);
}

cudaError_t copy_2d(aoti_cts_vcuda_call& call, void* to, std::size_t dst_pitch, const void* from,
                    std::size_t src_pitch, std::size_t width, std::size_t height,
                    cudaMemcpyKind kind, const cudaStream_t* on) {
  if (width > dst_pitch || width > src_pitch) return cudaErrorInvalidPitchValue;
  const Shape shape{width, height, dst_pitch, src_pitch};
  std::size_t reach = 0;
  if (__builtin_mul_overflow(std::max(dst_pitch, src_pitch), height, &reach)) {
    return cudaErrorInvalidValue;
  }
  return copy(call, to, from, shape, kind, on);
}

}  // namespace
}  // namespace aoti_cts::vcuda

using namespace aoti_cts::vcuda;

extern "C" {
namespace aoti_cts::vcuda {

cudaError_t cudaMemcpy(void* dst, const void* src, size_t bytes, cudaMemcpyKind kind) {
  return api("cudaMemcpy", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy(call, dst, src, {bytes, 1, bytes, bytes}, kind, nullptr);
  });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api("cudaMemcpyAsync", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy(call, dst, src, {bytes, 1, bytes, bytes}, kind, &stream);
  });
}

cudaError_t cudaMemcpyPeer(void* dst, int dst_device, const void* src, int src_device,
                           size_t bytes) {
  return api("cudaMemcpyPeer", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy_peer(call, dst, dst_device, src, src_device, bytes, nullptr);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dst_device, const void* src, int src_device,
                                size_t bytes, cudaStream_t stream) {
  return api("cudaMemcpyPeerAsync", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy_peer(call, dst, dst_device, src, src_device, bytes, &stream);
  });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return api("cudaMemcpy2D", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy_2d(call, dst, dst_pitch, src, src_pitch, width, height, kind, nullptr);
  });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return api("cudaMemcpy2DAsync", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy_2d(call, dst, dst_pitch, src, src_pitch, width, height, kind, &stream);
  });
}

cudaError_t cudaMemset(void* ptr, int value, size_t bytes) {
  return api("cudaMemset", Plain,
             [&](aoti_cts_vcuda_call& call) { return fill(call, ptr, value, bytes, nullptr); });
}

cudaError_t cudaMemsetAsync(void* ptr, int value, size_t bytes, cudaStream_t stream) {
  return api("cudaMemsetAsync", Plain,
             [&](aoti_cts_vcuda_call& call) { return fill(call, ptr, value, bytes, &stream); });
}

cudaError_t cudaGetSymbolAddress(void** ptr, const void* symbol) {
  return api("cudaGetSymbolAddress", Plain, [&](aoti_cts_vcuda_call& call) {
    std::size_t bytes = 0;
    if (ptr == nullptr) return cudaErrorInvalidValue;
    call.dst = symbol_address(symbol, bytes);
    if (call.dst == 0) return cudaErrorInvalidSymbol;
    *ptr = reinterpret_cast<void*>(call.dst);  // NOLINT(performance-no-int-to-ptr)
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return api("cudaGetSymbolSize", Plain, [&](aoti_cts_vcuda_call&) {
    const auto it = World::get().symbols.find(symbol);
    if (bytes == nullptr) return cudaErrorInvalidValue;
    if (it == World::get().symbols.end()) return cudaErrorInvalidSymbol;
    *bytes = it->second.bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return api("cudaMemcpyToSymbol", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy_symbol(call, symbol, offset, nullptr, src, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return api("cudaMemcpyFromSymbol", Plain, [&](aoti_cts_vcuda_call& call) {
    return copy_symbol(call, symbol, offset, dst, nullptr, bytes, kind);
  });
}

#if VCUDA_RUNTIME == 13
cudaError_t cudaMemPrefetchAsync(const void* ptr, size_t bytes, cudaMemLocation, unsigned,
                                 cudaStream_t stream) {
  return api("cudaMemPrefetchAsync", Plain, [&](aoti_cts_vcuda_call& call) {
    call.src = number(ptr);
    call.bytes = bytes;
    if (resolve(stream, call.function) == nullptr) return cudaErrorInvalidResourceHandle;
    const Allocation* memory = allocation_at(call.src);
    return memory != nullptr && memory->home == Home::Managed ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemAdvise(const void* ptr, size_t bytes, int, cudaMemLocation) {
  return api("cudaMemAdvise", Plain, [&](aoti_cts_vcuda_call& call) {
    call.src = number(ptr);
    call.bytes = bytes;
    const Allocation* memory = allocation_at(call.src);
    return memory != nullptr && memory->home == Home::Managed ? cudaSuccess : cudaErrorInvalidValue;
  });
}
#endif

}  // namespace aoti_cts::vcuda
}
