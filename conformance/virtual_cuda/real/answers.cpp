// What a libcudart answers to calls whose outcome does not depend on time: one line each, so that
// the virtual device and a real one are compared with diff.
//
//   cuda-answers .../libcudart.so.13
//
// prints "probe: answer" lines and exits with 0. Nothing here may be undefined on a real device: a
// handle that was destroyed, for one, is used on the virtual device's own tests alone.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "virtual_cuda/table.h"

namespace {

namespace cu = aoti_cts::vcuda;

struct Probe {
  const cu::Table& cuda;

  void say(const std::string& what, const std::string& answer) const {
    std::printf("%s: %s\n", what.c_str(), answer.c_str());
  }

  /// The error's name, and the last error taken back.
  std::string name(cu::cudaError_t error) const {
    cuda.cudaGetLastError();
    return cuda.cudaGetErrorName(error);
  }

  void error(const std::string& what, cu::cudaError_t code) const { say(what, name(code)); }

  void* device(size_t bytes) const {
    void* ptr = nullptr;
    if (cuda.cudaMalloc(&ptr, bytes) != cu::cudaSuccess) std::exit(3);
    return ptr;
  }

  void attributes(const std::string& what, const void* ptr) const {
    struct {
      cu::cudaPointerAttributes head;
      char rest[128];
    } room{};
    const cu::cudaError_t code = cuda.cudaPointerGetAttributes(&room.head, ptr);
    const auto points = [ptr](const void* at) {
      return at == nullptr ? "null" : (at == ptr ? "itself" : "elsewhere");
    };
    say("cudaPointerGetAttributes of " + what,
        name(code) + ", type " + std::to_string(room.head.type) + ", device " +
            std::to_string(room.head.device) + ", device pointer " +
            points(room.head.devicePointer) + ", host pointer " + points(room.head.hostPointer));
  }

  void devices() const;
  void memory() const;
  void pointers() const;
  void copies() const;
  void ordered() const;
  void streams() const;
  void kernels() const;
  void last_error() const;
};

void Probe::devices() const {
  int count = 0;
  int device = -1;
  error("cudaGetDeviceCount", cuda.cudaGetDeviceCount(&count));
  error("cudaSetDevice(count)", cuda.cudaSetDevice(count));
  error("cudaSetDevice(-1)", cuda.cudaSetDevice(-1));
  error("cudaGetDevice", cuda.cudaGetDevice(&device));
  say("current device after refused ones", std::to_string(device));
  int can = -1;
  error("cudaDeviceCanAccessPeer(0, 0)", cuda.cudaDeviceCanAccessPeer(&can, 0, 0));
  say("a device is its own peer", std::to_string(can));
  error("cudaDeviceCanAccessPeer(0, count)", cuda.cudaDeviceCanAccessPeer(&can, 0, count));
  error("cudaDeviceEnablePeerAccess(self)", cuda.cudaDeviceEnablePeerAccess(0, 0));
  error("cudaDeviceDisablePeerAccess(self)", cuda.cudaDeviceDisablePeerAccess(0));
  int value = 0;
  error("cudaDeviceGetAttribute(75)", cuda.cudaDeviceGetAttribute(&value, 75, 0));
  error("cudaDeviceGetAttribute(0)", cuda.cudaDeviceGetAttribute(&value, 0, 0));
  error("cudaDeviceGetAttribute(75) of device count",
        cuda.cudaDeviceGetAttribute(&value, 75, count));
  for (const int attribute : {1, 10, 41, 75, 83, 115}) {
    cuda.cudaDeviceGetAttribute(&value, attribute, 0);
    say("device attribute " + std::to_string(attribute), std::to_string(value));
  }
  char bus[32] = "";
  error("cudaDeviceGetPCIBusId into 4 bytes", cuda.cudaDeviceGetPCIBusId(bus, 4, 0));
  error("cudaDeviceGetPCIBusId", cuda.cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  error("cudaDeviceGetByPCIBusId", cuda.cudaDeviceGetByPCIBusId(&device, bus));
  error("cudaDeviceGetByPCIBusId(\"x\")", cuda.cudaDeviceGetByPCIBusId(&device, "x"));
  int least = 0;
  int greatest = 0;
  error("cudaDeviceGetStreamPriorityRange",
        cuda.cudaDeviceGetStreamPriorityRange(&least, &greatest));
  say("stream priorities", std::to_string(least) + " to " + std::to_string(greatest));
}

void Probe::memory() const {
  void* ptr = &ptr;
  error("cudaMalloc(0)", cuda.cudaMalloc(&ptr, 0));
  say("cudaMalloc(0) gives", ptr == nullptr ? "null" : "a pointer");
  error("cudaMalloc(4 TiB)", cuda.cudaMalloc(&ptr, size_t{1} << 42));
  error("cudaMalloc(all bytes)", cuda.cudaMalloc(&ptr, ~size_t{0}));
  error("cudaMalloc into null", cuda.cudaMalloc(nullptr, 8));
  error("cudaFree(null)", cuda.cudaFree(nullptr));
  void* memory = device(4096);
  say("alignment of 256", reinterpret_cast<std::uintptr_t>(memory) % 256 == 0 ? "yes" : "no");
  error("cudaFree inside an allocation", cuda.cudaFree(static_cast<char*>(memory) + 8));
  error("cudaFree", cuda.cudaFree(memory));
  error("cudaFree again", cuda.cudaFree(memory));
  int on_stack = 0;
  error("cudaFree of the stack", cuda.cudaFree(&on_stack));
  error("cudaFreeHost of the stack", cuda.cudaFreeHost(&on_stack));
  error("cudaFreeHost(null)", cuda.cudaFreeHost(nullptr));
  ptr = &ptr;
  error("cudaMallocHost(0)", cuda.cudaMallocHost(&ptr, 0));
  say("cudaMallocHost(0) gives", ptr == nullptr ? "null" : "a pointer");
  ptr = &ptr;
  error("cudaHostAlloc(0)", cuda.cudaHostAlloc(&ptr, 0, 0));
  error("cudaHostAlloc with flags 64", cuda.cudaHostAlloc(&ptr, 8, 64));
  ptr = &ptr;
  error("cudaMallocManaged(0)", cuda.cudaMallocManaged(&ptr, 0, 1));
  say("cudaMallocManaged(0) gives", ptr == nullptr ? "null" : "a pointer");
  error("cudaMallocManaged with flags 0", cuda.cudaMallocManaged(&ptr, 8, 0));
  void* pinned = nullptr;
  error("cudaHostAlloc", cuda.cudaHostAlloc(&pinned, 4096, 0));
  error("cudaFree of pinned memory", cuda.cudaFree(pinned));
  error("cudaFreeHost", cuda.cudaFreeHost(pinned));
  std::vector<char> heap(8192);
  error("cudaHostRegister(0 bytes)", cuda.cudaHostRegister(heap.data(), 0, 0));
  error("cudaHostUnregister of what is not", cuda.cudaHostUnregister(heap.data()));
  error("cudaHostRegister", cuda.cudaHostRegister(heap.data(), heap.size(), 0));
  error("cudaHostRegister again", cuda.cudaHostRegister(heap.data(), heap.size(), 0));
  error("cudaHostUnregister", cuda.cudaHostUnregister(heap.data()));
  void* mapped = nullptr;
  error("cudaHostGetDevicePointer of the heap",
        cuda.cudaHostGetDevicePointer(&mapped, heap.data(), 0));
  size_t pitch = 0;
  error("cudaMallocPitch", cuda.cudaMallocPitch(&ptr, &pitch, 100, 3));
  say("pitch of 100", std::to_string(pitch));
  cuda.cudaFree(ptr);
}

void Probe::pointers() const {
  void* memory = device(256);
  attributes("device memory", memory);
  attributes("the middle of device memory", static_cast<char*>(memory) + 100);
  cuda.cudaFree(memory);
  attributes("freed device memory", memory);
  int on_stack = 0;
  attributes("the stack", &on_stack);
  attributes("null", nullptr);
  void* pinned = nullptr;
  cuda.cudaHostAlloc(&pinned, 256, 0);
  attributes("pinned memory", pinned);
  attributes("the middle of pinned memory", static_cast<char*>(pinned) + 100);
  unsigned flags = 99;
  error("cudaHostGetFlags of pinned memory", cuda.cudaHostGetFlags(&flags, pinned));
  error("cudaHostGetFlags of the stack", cuda.cudaHostGetFlags(&flags, &on_stack));
  cuda.cudaFreeHost(pinned);
  std::vector<char> heap(8192);
  cuda.cudaHostRegister(heap.data(), heap.size(), 0);
  attributes("registered memory", heap.data());
  cuda.cudaHostUnregister(heap.data());
}

void Probe::copies() const {
  auto* memory = static_cast<char*>(device(64));
  char host[64] = {};
  const auto copy = [&](const char* what, void* to, const void* from, size_t bytes, unsigned kind) {
    error(what, cuda.cudaMemcpy(to, from, bytes, static_cast<cu::cudaMemcpyKind>(kind)));
  };
  copy("cudaMemcpy host to device", memory, host, 64, 1);
  copy("cudaMemcpy device to host", host, memory, 64, 2);
  copy("cudaMemcpy by default", host, memory, 64, 4);
  copy("cudaMemcpy with kind 9", host, memory, 64, 9);
  copy("cudaMemcpy to the device announced as to the host", memory, host, 64, 2);
  copy("cudaMemcpy to the host announced as to the device", host, memory, 64, 1);
  copy("cudaMemcpy between devices of host memory", memory, host, 64, 3);
  cuda.cudaMemset(memory, 5, 64);
  copy("cudaMemcpy host to host of device memory", host, memory, 64, 0);
  say("it copied", host[63] == 5 ? "yes" : "no");
  copy("cudaMemcpy of no bytes from null", nullptr, nullptr, 0, 1);
  copy("cudaMemcpy from null", memory, nullptr, 8, 1);
  copy("cudaMemcpy to null", nullptr, memory, 8, 2);
  error("cudaMemset", cuda.cudaMemset(memory, 1, 64));
  error("cudaMemset of the host", cuda.cudaMemset(host, 1, 64));
  error("cudaMemset of null", cuda.cudaMemset(nullptr, 1, 8));
  error("cudaMemset of null, no bytes", cuda.cudaMemset(nullptr, 1, 0));
  error("cudaMemcpy2D wider than its pitch",
        cuda.cudaMemcpy2D(memory, 4, host, 8, 8, 2, cu::cudaMemcpyHostToDevice));
  error("cudaMemcpy2D", cuda.cudaMemcpy2D(memory, 16, host, 8, 8, 2, cu::cudaMemcpyHostToDevice));
  error("cudaMemcpyPeer from and to device 0", cuda.cudaMemcpyPeer(memory, 0, memory + 32, 0, 8));
  error("cudaMemcpyPeer to device 99", cuda.cudaMemcpyPeer(memory, 99, memory + 32, 0, 8));
  void* pinned = nullptr;
  cuda.cudaHostAlloc(&pinned, 64, 0);
  copy("cudaMemcpy of pinned memory as a device's", memory, pinned, 64, 3);
  error("cudaMemset of pinned memory", cuda.cudaMemset(pinned, 1, 64));
  cuda.cudaFreeHost(pinned);
  cuda.cudaFree(memory);
}

void Probe::ordered() const {
  void* ptr = &ptr;
  error("cudaMallocAsync(0)", cuda.cudaMallocAsync(&ptr, 0, nullptr));
  say("cudaMallocAsync(0) gives", ptr == nullptr ? "null" : "a pointer");
  error("cudaFreeAsync(null)", cuda.cudaFreeAsync(nullptr, nullptr));
  error("cudaMallocAsync(4 TiB)", cuda.cudaMallocAsync(&ptr, size_t{1} << 42, nullptr));
  error("cudaMallocAsync", cuda.cudaMallocAsync(&ptr, 64, nullptr));
  attributes("ordered memory", ptr);
  error("cudaFreeAsync", cuda.cudaFreeAsync(ptr, nullptr));
  error("cudaDeviceSynchronize", cuda.cudaDeviceSynchronize());
  error("cudaFreeAsync again", cuda.cudaFreeAsync(ptr, nullptr));
  cuda.cudaMallocAsync(&ptr, 64, nullptr);
  cuda.cudaDeviceSynchronize();
  error("cudaFree of ordered memory", cuda.cudaFree(ptr));
  ptr = device(64);
  error("cudaFreeAsync of unordered memory", cuda.cudaFreeAsync(ptr, nullptr));
  error("cudaDeviceSynchronize after it", cuda.cudaDeviceSynchronize());
  int on_stack = 0;
  error("cudaFreeAsync of the stack", cuda.cudaFreeAsync(&on_stack, nullptr));
  cu::cudaMemPool_t pool = nullptr;
  error("cudaDeviceGetDefaultMemPool", cuda.cudaDeviceGetDefaultMemPool(&pool, 0));
  error("cudaMemPoolTrimTo", cuda.cudaMemPoolTrimTo(pool, 0));
}

void Probe::streams() const {
  cu::cudaStream_t stream = nullptr;
  error("cudaStreamCreateWithFlags(77)", cuda.cudaStreamCreateWithFlags(&stream, 77));
  error("cudaStreamCreate into null", cuda.cudaStreamCreate(nullptr));
  error("cudaStreamCreateWithPriority(0, -99)", cuda.cudaStreamCreateWithPriority(&stream, 0, -99));
  int priority = 1;
  unsigned flags = 9;
  int device = -1;
  int capture = -1;
  error("cudaStreamGetPriority", cuda.cudaStreamGetPriority(stream, &priority));
  say("priority of one made with -99", std::to_string(priority));
  error("cudaStreamGetFlags", cuda.cudaStreamGetFlags(stream, &flags));
  say("its flags", std::to_string(flags));
  error("cudaStreamGetDevice", cuda.cudaStreamGetDevice(stream, &device));
  say("its device", std::to_string(device));
  error("cudaStreamIsCapturing", cuda.cudaStreamIsCapturing(stream, &capture));
  say("it captures", std::to_string(capture));
  error("cudaStreamSynchronize", cuda.cudaStreamSynchronize(stream));
  error("cudaStreamQuery of an idle one", cuda.cudaStreamQuery(stream));
  error("cudaStreamGetFlags of null", cuda.cudaStreamGetFlags(nullptr, &flags));
  say("flags of null", std::to_string(flags));
  error("cudaStreamDestroy", cuda.cudaStreamDestroy(stream));
  error("cudaStreamDestroy(null)", cuda.cudaStreamDestroy(nullptr));
  cu::cudaEvent_t start = nullptr;
  cu::cudaEvent_t end = nullptr;
  cu::cudaEvent_t untimed = nullptr;
  float ms = -1;
  error("cudaEventCreateWithFlags(99)", cuda.cudaEventCreateWithFlags(&start, 99));
  error("cudaEventCreate", cuda.cudaEventCreate(&start));
  cuda.cudaEventCreate(&end);
  cuda.cudaEventCreateWithFlags(&untimed, 2);
  error("cudaEventQuery before it is recorded", cuda.cudaEventQuery(start));
  error("cudaEventSynchronize before it is recorded", cuda.cudaEventSynchronize(start));
  error("cudaStreamWaitEvent before it is recorded", cuda.cudaStreamWaitEvent(nullptr, start, 0));
  error("cudaEventElapsedTime before", cuda.cudaEventElapsedTime(&ms, start, end));
  cuda.cudaEventRecord(start, nullptr);
  cuda.cudaEventRecord(end, nullptr);
  cuda.cudaEventRecord(untimed, nullptr);
  cuda.cudaDeviceSynchronize();
  error("cudaEventElapsedTime", cuda.cudaEventElapsedTime(&ms, start, end));
  error("cudaEventElapsedTime without timing", cuda.cudaEventElapsedTime(&ms, start, untimed));
  error("cudaEventQuery", cuda.cudaEventQuery(end));
  for (cu::cudaEvent_t event : {start, end, untimed}) cuda.cudaEventDestroy(event);
}

void Probe::kernels() const {
  cu::cudaFuncAttributes attributes{};
  void* at = nullptr;
  error("cudaFuncGetAttributes of no kernel",
        cuda.cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&std::exit)));
  error("cudaLaunchKernel of no kernel",
        cuda.cudaLaunchKernel(reinterpret_cast<const void*>(&std::exit), {1, 1, 1}, {1, 1, 1},
                              nullptr, 0, nullptr));
  error("cudaGetSymbolAddress of no variable", cuda.cudaGetSymbolAddress(&at, &at));
  say("cudaGetErrorName(12345)", cuda.cudaGetErrorName(static_cast<cu::cudaError_t>(12345)));
}

void Probe::last_error() const {
  cuda.cudaGetLastError();
  cuda.cudaSetDevice(99);
  const auto plain = [&](cu::cudaError_t code) { return std::string(cuda.cudaGetErrorName(code)); };
  say("cudaPeekAtLastError after an error", plain(cuda.cudaPeekAtLastError()));
  int device = 0;
  cuda.cudaGetDevice(&device);
  say("cudaPeekAtLastError after a success", plain(cuda.cudaPeekAtLastError()));
  say("cudaGetLastError", plain(cuda.cudaGetLastError()));
  say("cudaGetLastError again", plain(cuda.cudaGetLastError()));
}

}  // namespace

int main(int argc, char** argv) {
  void* handle = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (handle == nullptr) {
    std::fprintf(stderr, "usage: cuda-answers PATH_OF_LIBCUDART%s%s\n", argc == 2 ? ": " : "",
                 argc == 2 ? dlerror() : "");
    return 2;
  }
  const cu::Table table = cu::load_table(handle);
  const Probe probe{table};
  probe.devices();
  probe.memory();
  probe.pointers();
  probe.copies();
  probe.ordered();
  probe.streams();
  probe.kernels();
  probe.last_error();
  return 0;
}
