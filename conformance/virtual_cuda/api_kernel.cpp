// Kernels: registered, described, never run. A launch fails and leaves the kernel's name behind.
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

std::string demangle(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  // Names of templates fill pages; what is cut off tells nobody more.
  constexpr std::size_t longest = 160;
  if (result.size() > longest) result.replace(longest, std::string::npos, "...");
  return result;
}

void note(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(std::move(name));
  }
}

cudaError_t launch(const char* how, const void* function, cudaStream_t on) {
  return api(how, Plain, [&](aoti_cts_vcuda_call& call) {
    call.src = reinterpret_cast<std::uintptr_t>(function);
    call.stream = reinterpret_cast<std::uintptr_t>(on);
    World& world = World::get();
    const auto it = world.kernels.find(function);
    if (it == world.kernels.end()) return cudaErrorInvalidResourceHandle;
    const StreamObject* stream = resolve(on, how);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->device != self().device) {
      find("stream_device", call.stream, "%s of %s on a stream of cuda:%d while cuda:%d is current",
           how, it->second.c_str(), stream->device, self().device);
    }
    note(world.launched, it->second);
    tell("kernel", it->second.c_str());
    return cudaErrorNoKernelImageForDevice;
  });
}

cudaError_t known_function(const char* how, const void* function) {
  return api(how, Plain, [&](aoti_cts_vcuda_call&) {
    return World::get().kernels.count(function) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t occupancy(const char* how, int* blocks, int block_size) {
  return api(how, Plain, [&](aoti_cts_vcuda_call&) {
    if (blocks == nullptr || block_size < 1) return cudaErrorInvalidValue;
    *blocks = std::max(1, 2048 / block_size);
    return cudaSuccess;
  });
}

cudaError_t kernel_handle(const char* how, cudaKernel_t* kernel, const void* function) {
  return api(how, NoDevice, [&](aoti_cts_vcuda_call&) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    // The host function's address serves as the handle.
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
  });
}

}  // namespace

/// A function of the table that the virtual device does not have: recorded, and an error.
cudaError_t refuse(const char* name);
cudaError_t refuse(const char* name) {
  return api(name, NoDevice, [&](aoti_cts_vcuda_call&) {
    note(World::get().refused, name);
    tell("refused", name);
    return cudaErrorNotSupported;
  });
}

}  // namespace aoti_cts::vcuda

using namespace aoti_cts::vcuda;

extern "C" void aoti_cts_vcuda_note_refused(const char* name) {
  World& world = World::get();
  const std::lock_guard lock(world.mutex);
  note(world.refused, name);
  tell("refused", name);
}

extern "C" {
namespace aoti_cts::vcuda {

void** __cudaRegisterFatBinary(void* binary) {
  // The caller only hands it back. One word that outlives every caller serves all of them.
  static void* word = nullptr;
  word = binary;
  return &word;
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*,
                            void*, void*, int*) {
  World& world = World::get();
  const std::lock_guard lock(world.mutex);
  world.kernels[host] = demangle(name);
}

void __cudaRegisterVar(void**, char* host, char*, const char* name, int, size_t bytes, int, int) {
  World& world = World::get();
  const std::lock_guard lock(world.mutex);
  world.symbols[host] = {demangle(name), bytes, {}};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  self().launches.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto& launches = self().launches;
  if (launches.empty()) return cudaErrorMissingConfiguration;
  *grid = launches.back().grid;
  *block = launches.back().block;
  *shared = launches.back().shared;
  *static_cast<cudaStream_t*>(stream) = launches.back().stream;
  launches.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return kernel_handle("__cudaGetKernel", kernel, function);
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return kernel_handle("cudaGetKernel", kernel, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void**, size_t,
                               cudaStream_t stream) {
  return launch("__cudaLaunchKernel", kernel, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void**, size_t,
                             cudaStream_t stream) {
  return launch("cudaLaunchKernel", function, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void**) {
  return launch("cudaLaunchKernelExC", function, config != nullptr ? config->stream : nullptr);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3, dim3, void**, size_t,
                                        cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel", function, stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api("cudaFuncGetAttributes", Plain, [&](aoti_cts_vcuda_call&) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    if (World::get().kernels.count(function) == 0) return cudaErrorInvalidResourceHandle;
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->ptxVersion = 90;
    attributes->binaryVersion = 90;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, int, int) {
  return known_function("cudaFuncSetAttribute", function);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, int, int, int) {
  return known_function("cudaKernelSetAttributeForDevice", kernel);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int block_size,
                                                          size_t) {
  return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, block_size);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*,
                                                                   int block_size, size_t,
                                                                   unsigned) {
  return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", blocks, block_size);
}

#define VCUDA_DEFINE_implemented(name)
#define VCUDA_DEFINE_bookkeeping(name)
#define VCUDA_DEFINE_refused(name) \
  cudaError_t name(...) { return refuse(#name); }
#define VCUDA(kind, runtimes, ret, name, params) VCUDA_##runtimes(VCUDA_DEFINE_##kind(name))
#include "virtual_cuda/functions.def"
#undef VCUDA

}  // namespace aoti_cts::vcuda
}

// A row without a definition does not link: every name's address is taken here.
namespace aoti_cts::vcuda {
extern const void* const defined[];
const void* const defined[] = {
#define VCUDA(kind, runtimes, ret, name, params) \
  VCUDA_##runtimes(reinterpret_cast<const void*>(&name), )
#include "virtual_cuda/functions.def"
#undef VCUDA
};
}  // namespace aoti_cts::vcuda
