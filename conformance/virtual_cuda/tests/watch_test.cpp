// The host at device memory: instructions and system calls, each in a child of its own.
//
//   AOTI_CTS_TEST_CUDART=.../libcudart.so.13 virtual_cuda_test --gtest_filter='*Watch*'
//
// prints "[  PASSED  ]".
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "virtual_cuda/tests/library.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define AOTI_CTS_TEST_SANITIZED true
#endif
#endif
#ifndef AOTI_CTS_TEST_SANITIZED
#define AOTI_CTS_TEST_SANITIZED false
#endif

namespace aoti_cts::vcuda {
namespace {

/// What a child leaves behind for the parent to judge.
struct Shared {
  std::atomic<int> count;
  char kind[32];
  char shim[64];
  char text[256];
  std::uintptr_t address;
  int value;
};

void observe(const aoti_cts_vcuda_finding* finding, void* context) {
  auto& shared = *static_cast<Shared*>(context);
  std::strncpy(shared.kind, finding->kind, sizeof shared.kind - 1);
  std::memcpy(shared.shim, finding->shim, sizeof shared.shim);
  std::memcpy(shared.text, finding->text, sizeof shared.text);
  shared.address = finding->address;
  ++shared.count;
}

class VirtualCudaWatch : public VirtualCuda {
 protected:
  void SetUp() override {
    VirtualCuda::SetUp();
    void* at =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    shared = new (at) Shared{};
  }

  /// Runs `body` in a child that watches; returns its wait status.
  int in_child(const std::function<void()>& body) const {
    const pid_t child = fork();
    if (child == 0) {
      cuda.observe(observe, shared);
      const int watched = cuda.watch_host();
      if (watched != 0) _exit(100 + watched % 100);
      body();
      _exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  static bool ended_by_fault(int status) {
    // A sanitizer's handler comes after ours and turns the signal into an exit.
    return (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) ||
           (WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) < 100);
  }

  Shared* shared = nullptr;
};

TEST_F(VirtualCudaWatch, InstructionAtDeviceMemory) {
  auto* ptr = static_cast<volatile int*>(device_memory(64));
  const int status = in_child([&] {
    cuda.enter("aoti_torch_item_bool");
    shared->value = ptr[4];
  });
  EXPECT_TRUE(ended_by_fault(status)) << status;
  EXPECT_EQ(shared->count, 1);
  EXPECT_STREQ(shared->kind, "host_touch");
  EXPECT_STREQ(shared->shim, "aoti_torch_item_bool");
  EXPECT_EQ(shared->address, number(const_cast<int*>(ptr)) + 16);
  EXPECT_NE(std::strstr(shared->text, "offset 16 of cuda:0 memory"), nullptr) << shared->text;
}

TEST_F(VirtualCudaWatch, OtherFaultsAreNotOurs) {
  const int status = in_child([] {
    volatile int* nowhere = nullptr;
    asm volatile("" : "+r"(nowhere));
    *nowhere = 1;  // NOLINT(clang-analyzer-core.NullDereference)
  });
  EXPECT_TRUE(ended_by_fault(status)) << status;
  EXPECT_EQ(shared->count, 0);
}

TEST_F(VirtualCudaWatch, SystemCallAtDeviceMemory) {
  void* ptr = device_memory(64);
  const int status = in_child([&] {
    cuda.enter("aoti_torch_save");
    const int null_device = open("/dev/zero", O_RDONLY);
    errno = 0;
    const auto got = read(null_device, static_cast<char*>(ptr) + 8, 4);
    shared->value = got == -1 ? errno : 0;
    char fine[4];
    if (read(null_device, fine, sizeof fine) != 4) _exit(3);
  });
  ASSERT_EQ(status, 0);
  EXPECT_EQ(shared->value, EFAULT);
  EXPECT_EQ(shared->count, 1);
  EXPECT_STREQ(shared->kind, "syscall_touch");
  EXPECT_STREQ(shared->shim, "aoti_torch_save");
  EXPECT_EQ(shared->address, number(ptr) + 8);
}

// The filter outlives execve and its handler does not: a program that maps anything of its own
// there would be killed.
TEST_F(VirtualCudaWatch, NoProgramHasMemoryAtDeviceAddresses) {
  if (AOTI_CTS_TEST_SANITIZED) GTEST_SKIP() << "a sanitizer may keep the range for itself";
  const std::uintptr_t device = number(device_memory(64)) >> 39 << 39;
  ASSERT_NE(device, 0U);
  for (int round = 0; round < 20; ++round) {
    // NOLINTNEXTLINE(cert-env33-c): a fixed command, and another program is the point
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(popen("cat /proc/self/maps", "r"),
                                                               pclose);
    ASSERT_NE(maps, nullptr);
    int lines = 0;
    char line[512];
    for (; std::fgets(line, sizeof line, maps.get()) != nullptr; ++lines) {
      EXPECT_NE(std::strtoull(line, nullptr, 16) >> 39 << 39, device) << line;
    }
    EXPECT_GT(lines, 5);
  }
}

TEST_F(VirtualCudaWatch, ReadingBeforeTheSynchronisation) {
  void* ptr = device_memory(4);
  const unsigned char seven[4] = {7, 7, 7, 7};
  ASSERT_EQ(cuda.poke(number(ptr), seven, 4), 0);
  void* pinned = nullptr;
  ASSERT_EQ(cuda.cudaHostAlloc(&pinned, 4, 0), cudaSuccess);
  const int status = in_child([&] {
    if (cuda.cudaMemcpyAsync(pinned, ptr, 4, cudaMemcpyDeviceToHost, nullptr) != 0) _exit(2);
    shared->value = *static_cast<volatile unsigned char*>(pinned);
    if (cuda.cudaStreamSynchronize(nullptr) != cudaSuccess) _exit(3);
    if (*static_cast<volatile unsigned char*>(pinned) != 7) _exit(4);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(shared->count, 1);
  EXPECT_STREQ(shared->kind, "early_touch");
  EXPECT_EQ(shared->value, 0) << "what was there before the copy";
}

TEST_F(VirtualCudaWatch, WritingTheSourceOfAPendingCopy) {
  void* ptr = device_memory(4);
  void* pinned = nullptr;
  ASSERT_EQ(cuda.cudaHostAlloc(&pinned, 4, 0), cudaSuccess);
  const int status = in_child([&] {
    auto* bytes = static_cast<volatile unsigned char*>(pinned);
    bytes[0] = 1;
    if (cuda.cudaMemcpyAsync(ptr, pinned, 4, cudaMemcpyHostToDevice, nullptr) != 0) _exit(2);
    if (bytes[0] != 1) _exit(3);
    bytes[0] = 2;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(shared->count, 1);
  EXPECT_STREQ(shared->kind, "early_touch");
}

}  // namespace
}  // namespace aoti_cts::vcuda
