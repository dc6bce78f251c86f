// Allocation and what can be asked about a pointer.
#include <cstring>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

std::uintptr_t number(const void* ptr) { return reinterpret_cast<std::uintptr_t>(ptr); }

void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

cudaError_t allocate(aoti_cts_vcuda_call& call, void** ptr, std::size_t bytes) {
  call.bytes = bytes;
  if (ptr == nullptr) return cudaErrorInvalidValue;
  if (bytes == 0) {
    *ptr = nullptr;
    return cudaSuccess;
  }
  const Allocation* made = allocate_device(self().device, bytes, false);
  if (made == nullptr) return cudaErrorMemoryAllocation;
  call.dst = made->base;
  *ptr = pointer(made->base);
  return cudaSuccess;
}

cudaError_t allocate_ordered(aoti_cts_vcuda_call& call, void** ptr, std::size_t bytes,
                             cudaStream_t on) {
  call.bytes = bytes;
  call.stream = number(on);
  if (ptr == nullptr) return cudaErrorInvalidValue;
  StreamObject* stream = resolve(on, call.function);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) {
    *ptr = nullptr;
    return cudaSuccess;
  }
  const Allocation* made = allocate_device(stream->device, bytes, true);
  if (made == nullptr) return cudaErrorMemoryAllocation;
  call.dst = made->base;
  *ptr = pointer(made->base);
  // A marker: other streams have to be ordered after it before they may use the memory.
  enqueue(stream, call.function, {{made->base, made->base + bytes, true}}, nullptr);
  return cudaSuccess;
}

cudaError_t allocate_pinned(aoti_cts_vcuda_call& call, void** ptr, std::size_t bytes,
                            unsigned flags) {
  call.bytes = bytes;
  if (ptr == nullptr || flags > 15) return cudaErrorInvalidValue;
  if (bytes == 0) {
    *ptr = nullptr;
    return cudaSuccess;
  }
  const Allocation* made = allocate_host(self().device, bytes, Home::Pinned, flags);
  if (made == nullptr) return cudaErrorMemoryAllocation;
  call.dst = made->base;
  *ptr = pointer(made->base);
  return cudaSuccess;
}

/// The live device allocation that begins at `ptr`, or null with the finding that says why not.
Allocation* freeable(const void* ptr, const char* function) {
  Allocation* memory = allocation_at(number(ptr));
  if (memory == nullptr || memory->base != number(ptr)) {
    find("bad_free", number(ptr), "%s of 0x%zx, at which %s", function,
         static_cast<std::size_t>(number(ptr)),
         memory == nullptr ? "nothing was allocated" : "no allocation begins");
    return nullptr;
  }
  if (memory->state != Allocation::State::Live) {
    find("double_free", memory->base, "%s of %s, which is free already", function,
         describe(*memory).c_str());
    return nullptr;
  }
  return memory;
}

void judge_owner(const Allocation& memory, int device, const char* function) {
  if (memory.device == device) return;
  find("foreign_free", memory.base, "%s of %s on cuda:%d", function, describe(memory).c_str(),
       device);
}

cudaError_t free_device(const void* ptr, const char* function) {
  Allocation* memory = freeable(ptr, function);
  if (memory == nullptr) return cudaErrorInvalidValue;
  if (memory->home != Home::Device && memory->home != Home::Managed) {
    find("bad_free", memory->base, "%s of %s", function, describe(*memory).c_str());
    return cudaErrorInvalidValue;
  }
  drain_device(memory->device);
  if (memory->home == Home::Managed) {
    release_host(*memory);
    return cudaSuccess;
  }
  judge_owner(*memory, self().device, function);
  retire(*memory);
  return cudaSuccess;
}

cudaError_t free_ordered(aoti_cts_vcuda_call& call, const void* ptr, cudaStream_t on) {
  StreamObject* stream = resolve(on, call.function);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  Allocation* memory = freeable(ptr, call.function);
  if (memory == nullptr || memory->home != Home::Device) return cudaErrorInvalidValue;
  judge_owner(*memory, stream->device, call.function);
  const std::uintptr_t base = memory->base;
  enqueue(stream, call.function, {{base, base + memory->bytes, true}},
          [base] { retire(World::get().allocations.at(base)); });
  memory->state = Allocation::State::Retiring;
  return cudaSuccess;
}

cudaError_t free_pinned(const void* ptr) {
  Allocation* memory = allocation_at(number(ptr));
  if (memory == nullptr || memory->base != number(ptr) || memory->home != Home::Pinned) {
    find("bad_free", number(ptr), "cudaFreeHost of 0x%zx, which is no pinned allocation",
         static_cast<std::size_t>(number(ptr)));
    return cudaErrorInvalidValue;
  }
  drain_all();
  release_host(*memory);
  return cudaSuccess;
}

}  // namespace
}  // namespace aoti_cts::vcuda

using namespace aoti_cts::vcuda;

extern "C" {
namespace aoti_cts::vcuda {

cudaError_t cudaMalloc(void** ptr, size_t bytes) {
  return api("cudaMalloc", Plain,
             [&](aoti_cts_vcuda_call& call) { return allocate(call, ptr, bytes); });
}

cudaError_t cudaFree(void* ptr) {
  return api(
      "cudaFree", Plain,
      [&](aoti_cts_vcuda_call&) {
        return ptr == nullptr ? cudaSuccess : free_device(ptr, "cudaFree");
      },
      ptr);
}

cudaError_t cudaMallocAsync(void** ptr, size_t bytes, cudaStream_t stream) {
  return api("cudaMallocAsync", Plain,
             [&](aoti_cts_vcuda_call& call) { return allocate_ordered(call, ptr, bytes, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return api("cudaMallocFromPoolAsync", Plain,
             [&](aoti_cts_vcuda_call& call) { return allocate_ordered(call, ptr, bytes, stream); });
}

cudaError_t cudaFreeAsync(void* ptr, cudaStream_t stream) {
  return api(
      "cudaFreeAsync", Plain,
      [&](aoti_cts_vcuda_call& call) {
        call.stream = number(stream);
        return ptr == nullptr ? cudaSuccess : free_ordered(call, ptr, stream);
      },
      ptr);
}

cudaError_t cudaMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height) {
  return api("cudaMallocPitch", Plain, [&](aoti_cts_vcuda_call& call) {
    constexpr std::size_t alignment = 512;
    std::size_t row = 0;
    std::size_t bytes = 0;
    if (pitch == nullptr || __builtin_add_overflow(width, alignment - 1, &row)) {
      return cudaErrorInvalidValue;
    }
    row = row / alignment * alignment;
    if (__builtin_mul_overflow(row, height, &bytes)) return cudaErrorMemoryAllocation;
    *pitch = row;
    return allocate(call, ptr, bytes);
  });
}

cudaError_t cudaMallocHost(void** ptr, size_t bytes) {
  return api("cudaMallocHost", Plain,
             [&](aoti_cts_vcuda_call& call) { return allocate_pinned(call, ptr, bytes, 0); });
}

cudaError_t cudaHostAlloc(void** ptr, size_t bytes, unsigned flags) {
  return api("cudaHostAlloc", Plain,
             [&](aoti_cts_vcuda_call& call) { return allocate_pinned(call, ptr, bytes, flags); });
}

cudaError_t cudaFreeHost(void* ptr) {
  return api(
      "cudaFreeHost", Plain,
      [&](aoti_cts_vcuda_call&) { return ptr == nullptr ? cudaSuccess : free_pinned(ptr); }, ptr);
}

cudaError_t cudaHostRegister(void* ptr, size_t bytes, unsigned flags) {
  return api("cudaHostRegister", Plain, [&](aoti_cts_vcuda_call& call) {
    call.dst = number(ptr);
    call.bytes = bytes;
    if (ptr == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (Region::device_of(call.dst) >= 0) return cudaErrorInvalidValue;
    if (allocation_at(call.dst) != nullptr || allocation_at(call.dst + bytes - 1) != nullptr) {
      return cudaErrorHostMemoryAlreadyRegistered;
    }
    Allocation& made = World::get().allocations[call.dst];
    made = Allocation{};
    made.base = call.dst;
    made.bytes = bytes;
    made.span = bytes;
    made.home = Home::Registered;
    made.device = self().device;
    made.data = static_cast<unsigned char*>(ptr);
    made.flags = flags;
    made.made_by = call.number;
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return api("cudaHostUnregister", Plain, [&](aoti_cts_vcuda_call& call) {
    call.dst = number(ptr);
    Allocation* memory = allocation_at(call.dst);
    if (memory == nullptr || memory->base != call.dst || memory->home != Home::Registered) {
      return cudaErrorHostMemoryNotRegistered;
    }
    drain_all();
    release_host(*memory);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api("cudaHostGetDevicePointer", Plain, [&](aoti_cts_vcuda_call&) {
    const Allocation* memory = allocation_at(number(host));
    if (device == nullptr || flags != 0 || memory == nullptr ||
        (memory->home != Home::Pinned && memory->home != Home::Registered)) {
      return cudaErrorInvalidValue;
    }
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* ptr) {
  return api("cudaHostGetFlags", Plain, [&](aoti_cts_vcuda_call&) {
    const Allocation* memory = allocation_at(number(ptr));
    if (flags == nullptr || memory == nullptr || memory->home == Home::Device) {
      return cudaErrorInvalidValue;
    }
    *flags = memory->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocManaged(void** ptr, size_t bytes, unsigned flags) {
  return api("cudaMallocManaged", Plain, [&](aoti_cts_vcuda_call& call) {
    call.bytes = bytes;
    if (ptr == nullptr || (flags != 1 && flags != 2)) return cudaErrorInvalidValue;
    if (bytes == 0) {
      *ptr = nullptr;
      return cudaSuccess;
    }
    const Allocation* made = allocate_host(self().device, bytes, Home::Managed, flags);
    if (made == nullptr) return cudaErrorMemoryAllocation;
    call.dst = made->base;
    *ptr = pointer(made->base);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return api("cudaMemGetInfo", Plain, [&](aoti_cts_vcuda_call&) {
    if (free_bytes == nullptr || total == nullptr) return cudaErrorInvalidValue;
    const World& world = World::get();
    *total = world.memory;
    *free_bytes = world.memory - world.device[static_cast<std::size_t>(self().device)].used;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return api("cudaPointerGetAttributes", Plain, [&](aoti_cts_vcuda_call& call) {
    call.src = number(ptr);
    if (attributes == nullptr) return cudaErrorInvalidValue;
    std::memset(static_cast<void*>(attributes), 0,
                VCUDA_RUNTIME == 13 ? pointer_attributes_size_13 : pointer_attributes_size_12);
    const Allocation* memory = allocation_at(number(ptr));
    if (memory == nullptr || memory->state == Allocation::State::Freed) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = -2;
      attributes->hostPointer = pointer(number(ptr));
      return cudaSuccess;
    }
    static constexpr cudaMemoryType types[] = {cudaMemoryTypeDevice, cudaMemoryTypeHost,
                                               cudaMemoryTypeHost, cudaMemoryTypeManaged};
    attributes->type = types[static_cast<int>(memory->home)];
    attributes->device = memory->device;
    attributes->devicePointer = pointer(number(ptr));
    if (memory->home != Home::Device) attributes->hostPointer = pointer(number(ptr));
    return cudaSuccess;
  });
}

}  // namespace aoti_cts::vcuda
}
