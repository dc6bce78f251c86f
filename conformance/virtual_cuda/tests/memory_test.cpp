// Allocation, ownership, limits, pointer attributes, and what goes wrong with frees.
//
//   AOTI_CTS_TEST_CUDART=.../libcudart.so.13 virtual_cuda_test --gtest_filter='*Memory*'
//
// prints "[  PASSED  ]".
#include <cstring>
#include <thread>

#include "virtual_cuda/tests/library.h"

namespace aoti_cts::vcuda {
namespace {

class VirtualCudaMemory : public VirtualCuda {};

TEST_F(VirtualCudaMemory, BelongsToTheCurrentDevice) {
  ASSERT_EQ(cuda.cudaSetDevice(2), cudaSuccess);
  void* ptr = device_memory(100);
  EXPECT_EQ(cuda.device_of(number(ptr)), 2);
  cudaPointerAttributes attributes[4];
  ASSERT_EQ(cuda.cudaPointerGetAttributes(attributes, ptr), cudaSuccess);
  EXPECT_EQ(attributes[0].type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes[0].device, 2);
  EXPECT_EQ(attributes[0].devicePointer, ptr);
  EXPECT_EQ(attributes[0].hostPointer, nullptr);
  EXPECT_EQ(cuda.cudaFree(ptr), cudaSuccess);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaMemory, IsAlignedAndNeverZeroedForTheCaller) {
  void* ptr = device_memory(64);
  EXPECT_EQ(number(ptr) % 256, 0U);
  unsigned char bytes[64] = {};
  ASSERT_EQ(cuda.peek(bytes, number(ptr), sizeof bytes), 0);
  EXPECT_EQ(bytes[0], 0xCD);
}

TEST_F(VirtualCudaMemory, ZeroBytesIsNullAndNullIsFreed) {
  void* ptr = &ptr;
  EXPECT_EQ(cuda.cudaMalloc(&ptr, 0), cudaSuccess);
  EXPECT_EQ(ptr, nullptr);
  EXPECT_EQ(cuda.cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaMemory, HasALimitForEachDevice) {
  void* most = device_memory(size_t{63} << 20);
  void* more = nullptr;
  EXPECT_EQ(cuda.cudaMalloc(&more, size_t{2} << 20), cudaErrorMemoryAllocation);
  EXPECT_EQ(more, nullptr);
  size_t available = 0;
  size_t total = 0;
  ASSERT_EQ(cuda.cudaMemGetInfo(&available, &total), cudaSuccess);
  EXPECT_EQ(total, size_t{64} << 20);
  EXPECT_EQ(available, size_t{1} << 20);
  ASSERT_EQ(cuda.cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cuda.cudaMalloc(&more, size_t{2} << 20), cudaSuccess);
  ASSERT_EQ(cuda.cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cuda.cudaFree(most), cudaSuccess);
  EXPECT_EQ(cuda.cudaMalloc(&more, ~size_t{0}), cudaErrorMemoryAllocation);
}

TEST_F(VirtualCudaMemory, DoubleFreeIsFound) {
  void* ptr = device_memory(8);
  EXPECT_EQ(cuda.cudaFree(ptr), cudaSuccess);
  EXPECT_EQ(cuda.cudaFree(ptr), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "double_free");
}

TEST_F(VirtualCudaMemory, FreeWhileAnotherDeviceIsCurrentIsFoundAndDone) {
  cuda.enter("delete");
  void* ptr = device_memory(8);
  ASSERT_EQ(cuda.cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cuda.cudaFree(ptr), cudaSuccess);
  EXPECT_EQ(findings(), "foreign_free");
  EXPECT_EQ(live().device_allocations, 0);
  aoti_cts_vcuda_finding finding;
  ASSERT_EQ(cuda.get_finding(0, &finding), 0);
  EXPECT_STREQ(finding.clause, "DEV.frees-on-own-device");
  EXPECT_STREQ(finding.shim, "delete");
  EXPECT_EQ(finding.address, number(ptr));
  cuda.enter(nullptr);
}

TEST_F(VirtualCudaMemory, FreeOfWhatWasNeverMadeIsFound) {
  int on_stack = 0;
  EXPECT_EQ(cuda.cudaFree(&on_stack), cudaErrorInvalidValue);
  void* ptr = device_memory(64);
  EXPECT_EQ(cuda.cudaFree(static_cast<char*>(ptr) + 8), cudaErrorInvalidValue);
  void* pinned = nullptr;
  ASSERT_EQ(cuda.cudaMallocHost(&pinned, 8), cudaSuccess);
  EXPECT_EQ(cuda.cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cuda.cudaFreeHost(ptr), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "bad_free bad_free bad_free bad_free");
}

TEST_F(VirtualCudaMemory, LeaksAreCountedFromACall) {
  device_memory(8);
  const uint64_t since = cuda.call_count();
  void* freed = device_memory(8);
  ASSERT_EQ(cuda.cudaFree(freed), cudaSuccess);
  cuda.enter("clone");
  device_memory(24);
  void* pinned = nullptr;
  ASSERT_EQ(cuda.cudaHostAlloc(&pinned, 8, 0), cudaSuccess);
  EXPECT_EQ(cuda.check_leaks(since), 2);
  EXPECT_EQ(findings(), "leak leak");
  cuda.enter(nullptr);
}

TEST_F(VirtualCudaMemory, FreedMemoryIsPoisonedAndItsAddressNotReused) {
  void* ptr = device_memory(16);
  ASSERT_EQ(cuda.cudaFree(ptr), cudaSuccess);
  for (int i = 0; i < 100; ++i) {
    void* other = device_memory(16);
    EXPECT_NE(other, ptr);
    ASSERT_EQ(cuda.cudaFree(other), cudaSuccess);
  }
  char host[16];
  EXPECT_EQ(cuda.cudaMemcpy(host, ptr, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "use_after_free");
  cudaPointerAttributes attributes[4];
  ASSERT_EQ(cuda.cudaPointerGetAttributes(attributes, ptr), cudaSuccess);
  EXPECT_EQ(attributes[0].type, cudaMemoryTypeUnregistered);
}

TEST_F(VirtualCudaMemory, PinnedAndManagedAreTheHosts) {
  void* pinned = nullptr;
  void* managed = nullptr;
  ASSERT_EQ(cuda.cudaHostAlloc(&pinned, 100, 0), cudaSuccess);
  ASSERT_EQ(cuda.cudaMallocManaged(&managed, 100, 1), cudaSuccess);
  std::memset(pinned, 1, 100);
  std::memset(managed, 2, 100);
  cudaPointerAttributes attributes[4];
  ASSERT_EQ(cuda.cudaPointerGetAttributes(attributes, static_cast<char*>(pinned) + 5), cudaSuccess);
  EXPECT_EQ(attributes[0].type, cudaMemoryTypeHost);
  ASSERT_EQ(cuda.cudaPointerGetAttributes(attributes, managed), cudaSuccess);
  EXPECT_EQ(attributes[0].type, cudaMemoryTypeManaged);
  EXPECT_EQ(cuda.cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cuda.cudaFree(managed), cudaSuccess);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaMemory, RegisteredHostMemoryIsPinnedUntilUnregistered) {
  std::vector<char> memory(4096);
  ASSERT_EQ(cuda.cudaHostRegister(memory.data(), memory.size(), 0), cudaSuccess);
  EXPECT_EQ(cuda.cudaHostRegister(memory.data() + 8, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  void* device = nullptr;
  EXPECT_EQ(cuda.cudaHostGetDevicePointer(&device, memory.data(), 0), cudaSuccess);
  EXPECT_EQ(cuda.cudaHostUnregister(memory.data()), cudaSuccess);
  EXPECT_EQ(cuda.cudaHostUnregister(memory.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(VirtualCudaMemory, CurrentDeviceAndLastErrorBelongToTheThread) {
  ASSERT_EQ(cuda.cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cuda.cudaSetDevice(3), cudaErrorInvalidDevice);
  std::thread([&] {
    int device = -1;
    EXPECT_EQ(cuda.cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(cuda.cudaPeekAtLastError(), cudaSuccess);
  }).join();
  int device = -1;
  EXPECT_EQ(cuda.cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuda.cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cuda.cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cuda.cudaGetLastError(), cudaSuccess);
}

TEST_F(VirtualCudaMemory, WithoutDeviceOrDriverCallsSaySo) {
  int count = -1;
  void* ptr = nullptr;
  ASSERT_EQ(cuda.reset(0, 0), 0);
  EXPECT_EQ(cuda.cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(cuda.cudaMalloc(&ptr, 8), cudaErrorNoDevice);
  ASSERT_EQ(cuda.reset(-1, 0), 0);
  EXPECT_EQ(cuda.cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  EXPECT_EQ(cuda.cudaSetDevice(0), cudaErrorInsufficientDriver);
}

TEST_F(VirtualCudaMemory, ThreadsAllocateAndFreeSideBySide) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_EQ(cuda.cudaSetDevice(t % 3), cudaSuccess);
      for (int i = 0; i < 200; ++i) {
        void* ptr = nullptr;
        EXPECT_EQ(cuda.cudaMalloc(&ptr, 64), cudaSuccess);
        EXPECT_EQ(cuda.cudaMemset(ptr, i, 64), cudaSuccess);
        unsigned char host[64];
        EXPECT_EQ(cuda.cudaMemcpy(host, ptr, 64, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(host[63], static_cast<unsigned char>(i));
        EXPECT_EQ(cuda.cudaFree(ptr), cudaSuccess);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(live().device_allocations, 0);
  EXPECT_EQ(findings(), "");
}

}  // namespace
}  // namespace aoti_cts::vcuda
