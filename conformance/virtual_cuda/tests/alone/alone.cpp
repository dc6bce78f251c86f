// A program that is no test of its own: it uses the libcudart it is given and does one thing wrong,
// for the log that the virtual device keeps without aoti-cts (virtual_cuda_alone_* in CTest).
//
//   AOTI_CTS_VCUDA_LOG=log.txt virtual_cuda_alone .../libcudart.so.13 touch|early
//
// `touch` reads device memory and dies of it; `early` reads page-locked memory under a pending copy
// and ends well, with "read early".
#include <cstdio>
#include <string>

#include "virtual_cuda/table.h"

int main(int argc, char** argv) {
  using namespace aoti_cts::vcuda;
  const std::string what = argc == 3 ? argv[2] : "";
  if (what != "touch" && what != "early") {
    std::fprintf(stderr, "usage: virtual_cuda_alone LIBCUDART touch|early\n");
    return 2;
  }
  const Table cuda = load_table(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL));
  void* device = nullptr;
  void* pinned = nullptr;
  if (cuda.handle == nullptr || cuda.cudaMalloc(&device, 64) != cudaSuccess ||
      cuda.cudaHostAlloc(&pinned, 64, 0) != cudaSuccess) {
    std::fprintf(stderr, "no CUDA here: %s\n", argv[1]);
    return 3;
  }
  if (what == "touch") return static_cast<volatile int*>(device)[4];
  if (cuda.cudaMemcpyAsync(pinned, device, 64, cudaMemcpyDeviceToHost, nullptr) != cudaSuccess) {
    return 3;
  }
  const int read = static_cast<volatile int*>(pinned)[4];
  if (cuda.cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("read early: %s\n",
              read == static_cast<volatile int*>(pinned)[4] ? "no difference" : "another value");
  return 0;
}
