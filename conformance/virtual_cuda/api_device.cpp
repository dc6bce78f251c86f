// Devices, attributes, versions and errors of the virtual CUDA runtime.
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

bool is_device(int device) { return device >= 0 && device < World::get().devices; }

/// What the virtual device says about itself: a Hopper-like device with pools, peers and unified
/// addresses. An attribute that is not here is 0, as on a device without the feature.
int attribute_value(int attribute, int device) {
  static constexpr struct {
    int attribute, value;
  } values[] = {
      {1, 1024},                  // threads per block
      {2, 1024},                  // block x
      {3, 1024},                  // block y
      {4, 64},                    // block z
      {5, 0x7fffffff},            // grid x
      {6, 65535},                 // grid y
      {7, 65535},                 // grid z
      {8, 49152},                 // shared memory per block
      {9, 65536},                 // constant memory
      {10, 32},                   // warp
      {11, 0x7fffffff},           // pitch
      {12, 65536},                // registers per block
      {13, 1980000},              // clock, kHz
      {14, 512},                  // texture alignment
      {15, 1},                    // copies overlap kernels
      {16, 132},                  // multiprocessors
      {19, 1},                    // maps host memory
      {31, 1},                    // concurrent kernels
      {36, 3201000},              // memory clock, kHz
      {37, 6144},                 // bus width
      {38, 62914560},             // L2
      {39, 2048},                 // threads per multiprocessor
      {40, 3},                    // copy engines
      {41, 1},                    // unified addressing
      {75, 9},                    // compute capability 9.0
      {76, 0},          {78, 1},  // stream priorities
      {81, 233472},               // shared memory per multiprocessor
      {82, 65536},                // registers per multiprocessor
      {83, 1},                    // managed memory
      {89, 1},                    // concurrent managed access
      {91, 1},                    // host pointer of registered memory
      {95, 1},                    // cooperative launch
      {97, 232448},               // opt-in shared memory per block
      {99, 1},                    // host registration
      {106, 32},                  // blocks per multiprocessor
      {115, 1},                   // memory pools
  };
  if (attribute == 33) return device + 1;  // PCI bus
  for (const auto& row : values) {
    if (row.attribute == attribute) return row.value;
  }
  return 0;
}

constexpr std::size_t offset_here(std::size_t in_12, std::size_t in_13) {
  return VCUDA_RUNTIME == 13 ? in_13 : in_12;
}

cudaError_t fill_properties(cudaDeviceProp* properties, int device, std::size_t size) {
  if (properties == nullptr) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  std::memset(static_cast<void*>(properties), 0, size);
  std::snprintf(properties->name, sizeof properties->name, "virtual CUDA device %d", device);
  properties->totalGlobalMem = World::get().memory;
  properties->sharedMemPerBlock = 49152;
  properties->regsPerBlock = 65536;
  properties->warpSize = 32;
  properties->memPitch = 0x7fffffff;
  properties->maxThreadsPerBlock = 1024;
  const int block[] = {1024, 1024, 64};
  const int grid[] = {0x7fffffff, 65535, 65535};
  std::copy_n(block, 3, properties->maxThreadsDim);
  std::copy_n(grid, 3, properties->maxGridSize);
  auto* bytes = reinterpret_cast<unsigned char*>(properties);
  const auto put = [bytes](std::size_t offset, std::size_t width, std::int64_t value) {
    std::memcpy(bytes + offset, &value, width);  // little-endian, as every CUDA host is
  };
#define VCUDA_PROPERTY(field, offset_12, offset_13, width, attribute) \
  put(offset_here(offset_12, offset_13), width, attribute_value(attribute, device));
#include "virtual_cuda/properties.def"
#undef VCUDA_PROPERTY
  return cudaSuccess;
}

/// domain:bus:slot in hexadecimal; what follows the slot is not looked at.
bool read_bus_id(std::string_view text, unsigned& domain, unsigned& bus, unsigned& slot) {
  for (unsigned* part : {&domain, &bus, &slot}) {
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, *part, 16);
    if (error != std::errc{} || (part != &slot && (at == end || *at != ':'))) return false;
    if (part != &slot) text.remove_prefix(static_cast<std::size_t>(at + 1 - text.data()));
  }
  return true;
}

/// A function of the driver library that is loaded, which the virtual device's own should be.
cudaError_t entry_point(const char* how, const char* symbol, void** function, int* status) {
  return api(how, NoDevice | Query, [&](aoti_cts_vcuda_call&) {
    if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *function = driver != nullptr ? dlsym(driver, symbol) : nullptr;
    if (status != nullptr) *status = *function != nullptr ? 0 : 1;
    return cudaSuccess;
  });
}

cudaError_t one_device(const char* function, int device) {
  return api(function, Plain, [&](aoti_cts_vcuda_call&) {
    return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

}  // namespace
}  // namespace aoti_cts::vcuda

using namespace aoti_cts::vcuda;

extern "C" {
namespace aoti_cts::vcuda {

cudaError_t cudaGetDeviceCount(int* count) {
  return api("cudaGetDeviceCount", NoDevice, [&](aoti_cts_vcuda_call&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    const int devices = World::get().devices;
    *count = std::max(devices, 0);
    if (devices > 0) return cudaSuccess;
    return devices == 0 ? cudaErrorNoDevice : cudaErrorInsufficientDriver;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api("cudaGetDevice", Plain, [&](aoti_cts_vcuda_call&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = self().device;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api("cudaSetDevice", Plain, [&](aoti_cts_vcuda_call& call) {
    call.bytes = static_cast<uint64_t>(static_cast<int64_t>(device));
    if (!is_device(device)) return cudaErrorInvalidDevice;
    self().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return api("cudaDeviceSynchronize", Plain, [&](aoti_cts_vcuda_call&) {
    drain_device(self().device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset(void) {
  return api("cudaDeviceReset", Plain, [&](aoti_cts_vcuda_call&) {
    const int device = self().device;
    drain_all();
    for (auto& [base, memory] : World::get().allocations) {
      if (memory.home == Home::Device && memory.device == device &&
          memory.state == Allocation::State::Live) {
        retire(memory);
      }
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return api("cudaDeviceGetAttribute", Plain, [&](aoti_cts_vcuda_call&) {
    if (value == nullptr || attribute < 1 || attribute > 160) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *value = attribute_value(attribute, device);
    return cudaSuccess;
  });
}

#if VCUDA_RUNTIME == 13
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api("cudaGetDeviceProperties", Plain, [&](aoti_cts_vcuda_call&) {
    return fill_properties(properties, device, device_prop_size_13);
  });
}
#else
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return api("cudaGetDeviceProperties_v2", Plain, [&](aoti_cts_vcuda_call&) {
    return fill_properties(properties, device, device_prop_size_12);
  });
}
#endif

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api("cudaDeviceGetPCIBusId", Plain, [&](aoti_cts_vcuda_call&) {
    if (text == nullptr || length < 13) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api("cudaDeviceGetByPCIBusId", Plain, [&](aoti_cts_vcuda_call&) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = 0;
    if (device == nullptr || text == nullptr || !read_bus_id(text, domain, bus, slot)) {
      return cudaErrorInvalidValue;
    }
    if (domain != 0 || slot != 0 || !is_device(static_cast<int>(bus) - 1)) {
      return cudaErrorInvalidDevice;
    }
    *device = static_cast<int>(bus) - 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api("cudaDeviceCanAccessPeer", Plain, [&](aoti_cts_vcuda_call&) {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api("cudaDeviceEnablePeerAccess", Plain, [&](aoti_cts_vcuda_call&) {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!is_device(peer)) return cudaErrorInvalidDevice;
    if (peer == self().device) return cudaErrorPeerAccessUnsupported;
    auto& peers = World::get().device[static_cast<std::size_t>(self().device)].peers;
    return peers.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api("cudaDeviceDisablePeerAccess", Plain, [&](aoti_cts_vcuda_call&) {
    if (!is_device(peer)) return cudaErrorInvalidDevice;
    auto& peers = World::get().device[static_cast<std::size_t>(self().device)].peers;
    return peers.erase(peer) == 1 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api("cudaDeviceGetStreamPriorityRange", Plain, [&](aoti_cts_vcuda_call&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api("cudaDriverGetVersion", NoDevice | Query, [&](aoti_cts_vcuda_call&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = World::get().devices < 0 ? 0 : 13000;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api("cudaRuntimeGetVersion", NoDevice | Query, [&](aoti_cts_vcuda_call&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = VCUDA_RUNTIME == 13 ? 13000 : 12090;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    int* status) {
  return entry_point("cudaGetDriverEntryPoint", symbol, function, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long, int* status) {
  return entry_point("cudaGetDriverEntryPointByVersion", symbol, function, status);
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return one_device("cudaInitDevice", device);
}

cudaError_t cudaSetDeviceFlags(unsigned) { return one_device("cudaSetDeviceFlags", self().device); }

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api("cudaGetDeviceFlags", Plain, [&](aoti_cts_vcuda_call&) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(int, size_t) {
  return one_device("cudaDeviceSetLimit", self().device);
}

cudaError_t cudaDeviceGetLimit(size_t* value, int) {
  return api("cudaDeviceGetLimit", Plain, [&](aoti_cts_vcuda_call&) {
    if (value == nullptr) return cudaErrorInvalidValue;
    *value = 1024;
    return cudaSuccess;
  });
}

cudaError_t cudaProfilerStart(void) { return one_device("cudaProfilerStart", self().device); }

cudaError_t cudaProfilerStop(void) { return one_device("cudaProfilerStop", self().device); }

cudaError_t cudaGetLastError(void) {
  return api("cudaGetLastError", NoDevice | Query | KeepError, [&](aoti_cts_vcuda_call&) {
    const unsigned last = World::get().sticky != 0 ? World::get().sticky : self().last_error;
    self().last_error = 0;
    return static_cast<cudaError_t>(last);
  });
}

cudaError_t cudaPeekAtLastError(void) {
  return api("cudaPeekAtLastError", NoDevice | Query | KeepError, [&](aoti_cts_vcuda_call&) {
    return static_cast<cudaError_t>(World::get().sticky != 0 ? World::get().sticky
                                                             : self().last_error);
  });
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define VCUDA_ERROR(code, name, sticky, words) \
  case name:                                   \
    return #name;
#include "virtual_cuda/errors.def"
#undef VCUDA_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define VCUDA_ERROR(code, name, sticky, words) \
  case name:                                   \
    return words;
#include "virtual_cuda/errors.def"
#undef VCUDA_ERROR
  }
  return "unrecognized error code";
}

}  // namespace aoti_cts::vcuda
}
