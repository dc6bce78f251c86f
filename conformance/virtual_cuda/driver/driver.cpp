// The stand-in libcuda.so.1: as much of CUDA's driver API as libtorch asks for on the way to the
// runtime API, where everything else happens.
//
// It has no state: devices are those of the virtual libcudart, which must be loaded, and a context
// is the number of its device.
#include <dlfcn.h>

#include "virtual_cuda/table.h"

namespace cu = aoti_cts::vcuda;

extern "C" {
#define VDRIVER(kind, name, params) __attribute__((visibility("default"))) unsigned name params;
#include "virtual_cuda/driver/driver.def"
#undef VDRIVER
}

namespace {

constexpr unsigned not_supported = 801;
constexpr unsigned not_initialized = 3;

const cu::Table& runtime() {
  static const cu::Table table = [] {
    for (const char* name : {"libcudart.so.13", "libcudart.so.12"}) {
      void* handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
      if (handle != nullptr && dlsym(handle, "aoti_cts_vcuda_reset") != nullptr) {
        return cu::load_table(handle);
      }
    }
    return cu::Table{};
  }();
  return table;
}

unsigned refuse(const char* name) {
  if (runtime().note_refused != nullptr) runtime().note_refused(name);
  return not_supported;
}

void* context_of(int device) {
  return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
      static_cast<std::uintptr_t>(device + 1) * 16);
}

unsigned current_context(void** context) {
  int device = 0;
  if (runtime().cudaGetDevice == nullptr) return not_initialized;
  const cu::cudaError_t error = runtime().cudaGetDevice(&device);
  *context = context_of(device);
  return error;
}

unsigned make_current(const void* context) {
  if (context == nullptr) return 0;
  if (runtime().cudaSetDevice == nullptr) return not_initialized;
  return runtime().cudaSetDevice(static_cast<int>(reinterpret_cast<std::uintptr_t>(context) / 16) -
                                 1);
}

}  // namespace

extern "C" {

unsigned cuInit(unsigned) { return runtime().is_virtual() ? 0 : not_initialized; }

unsigned cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

// The driver's codes are the runtime's, as far as both have them.
unsigned cuGetErrorString(unsigned error, const char** text) {
  if (runtime().cudaGetErrorString == nullptr) return not_initialized;
  *text = runtime().cudaGetErrorString(static_cast<cu::cudaError_t>(error));
  return 0;
}

unsigned cuGetErrorName(unsigned error, const char** text) {
  if (runtime().cudaGetErrorName == nullptr) return not_initialized;
  *text = runtime().cudaGetErrorName(static_cast<cu::cudaError_t>(error));
  return 0;
}

unsigned cuDeviceGetCount(int* count) {
  return runtime().cudaGetDeviceCount == nullptr ? not_initialized
                                                 : runtime().cudaGetDeviceCount(count);
}

unsigned cuDeviceGet(int* device, int ordinal) {
  int count = 0;
  const unsigned error = cuDeviceGetCount(&count);
  if (error != 0) return error;
  if (ordinal < 0 || ordinal >= count) return cu::cudaErrorInvalidDevice;
  *device = ordinal;
  return 0;
}

unsigned cuDeviceGetAttribute(int* value, int attribute, int device) {
  return runtime().cudaDeviceGetAttribute == nullptr
             ? not_initialized
             : runtime().cudaDeviceGetAttribute(value, attribute, device);
}

// Every device has its context from the start: there is nothing to create.
unsigned cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return 0;
}

unsigned cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = context_of(device);
  return 0;
}

unsigned cuCtxGetCurrent(void** context) { return current_context(context); }
unsigned cuCtxSetCurrent(void* context) { return make_current(context); }
unsigned cuCtxPushCurrent(void* context) { return make_current(context); }
unsigned cuCtxPopCurrent(void** context) { return current_context(context); }

#define VDRIVER_DEFINE_implemented(name)
#define VDRIVER_DEFINE_bookkeeping(name)
#define VDRIVER_DEFINE_refused(name) \
  unsigned name(...) { return refuse(#name); }
#define VDRIVER(kind, name, params) VDRIVER_DEFINE_##kind(name)
#include "virtual_cuda/driver/driver.def"
#undef VDRIVER
}
