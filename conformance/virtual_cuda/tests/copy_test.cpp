// Copies and fills: the right bytes in every direction, and what is found when they are wrong.
//
//   AOTI_CTS_TEST_CUDART=.../libcudart.so.13 virtual_cuda_test --gtest_filter='*Copy*'
//
// prints "[  PASSED  ]".
#include <array>
#include <cstring>
#include <numeric>

#include "virtual_cuda/tests/library.h"

namespace aoti_cts::vcuda {
namespace {

class VirtualCudaCopy : public VirtualCuda {
 protected:
  static std::array<unsigned char, 32> counting() {
    std::array<unsigned char, 32> bytes{};
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
    return bytes;
  }
};

TEST_F(VirtualCudaCopy, RoundTripThroughTwoDevices) {
  const auto source = counting();
  void* on_0 = device_memory(32);
  ASSERT_EQ(cuda.cudaSetDevice(1), cudaSuccess);
  void* on_1 = device_memory(32);
  std::array<unsigned char, 32> back{};
  ASSERT_EQ(cuda.cudaMemcpy(on_0, source.data(), 32, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cuda.cudaMemcpy(on_1, on_0, 32, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cuda.cudaMemcpy(back.data(), on_1, 32, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back, source);
  EXPECT_EQ(cuda.cudaMemset(on_1, 7, 4), cudaSuccess);
  ASSERT_EQ(cuda.cudaMemcpy(back.data(), on_1, 32, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back[3], 7);
  EXPECT_EQ(back[4], source[4]);
  EXPECT_EQ(findings(), "");
}

// As two H200 answered: memory of a pool is not another device's to copy.
TEST_F(VirtualCudaCopy, PooledMemoryIsClosedToOtherDevices) {
  const auto source = counting();
  void* pooled = nullptr;
  ASSERT_EQ(cuda.cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cuda.cudaMallocAsync(&pooled, 32, nullptr), cudaSuccess);
  ASSERT_EQ(cuda.cudaMemcpy(pooled, source.data(), 32, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cuda.cudaSetDevice(0), cudaSuccess);
  std::array<unsigned char, 32> back{};
  EXPECT_EQ(cuda.cudaMemcpy(back.data(), pooled, 32, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cuda.cudaMemcpy(pooled, source.data(), 32, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  ASSERT_EQ(cuda.cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cuda.cudaMemcpy(back.data(), pooled, 32, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, source);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaCopy, RowsOfAPitchedCopyLandWhereTheyShould) {
  const auto source = counting();
  void* ptr = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cuda.cudaMallocPitch(&ptr, &pitch, 8, 4), cudaSuccess);
  ASSERT_EQ(cuda.cudaMemcpy2D(ptr, pitch, source.data(), 8, 8, 4, cudaMemcpyHostToDevice),
            cudaSuccess);
  unsigned char third = 0;
  ASSERT_EQ(cuda.peek(&third, number(ptr) + 3 * pitch + 1, 1), 0);
  EXPECT_EQ(third, source[25]);
  EXPECT_EQ(cuda.cudaMemcpy2D(ptr, 4, source.data(), 8, 8, 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
}

TEST_F(VirtualCudaCopy, PeerCopiesNameTheirDevices) {
  const auto source = counting();
  void* on_0 = device_memory(32);
  ASSERT_EQ(cuda.cudaMemcpy(on_0, source.data(), 32, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cuda.cudaSetDevice(2), cudaSuccess);
  void* on_2 = device_memory(32);
  EXPECT_EQ(cuda.cudaMemcpyPeer(on_2, 2, on_0, 0, 32), cudaSuccess);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(cuda.cudaMemcpyPeer(on_2, 1, on_0, 0, 32), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "wrong_direction");
  EXPECT_EQ(cuda.cudaMemcpyPeer(on_2, 5, on_0, 0, 32), cudaErrorInvalidDevice);
  unsigned char last = 0;
  ASSERT_EQ(cuda.cudaMemcpy(&last, static_cast<char*>(on_2) + 31, 1, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(last, 32);
}

TEST_F(VirtualCudaCopy, WrongDirectionIsFound) {
  auto source = counting();
  void* ptr = device_memory(32);
  EXPECT_EQ(cuda.cudaMemcpy(ptr, source.data(), 32, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  // A real device lets this pass.
  EXPECT_EQ(cuda.cudaMemcpy(source.data(), ptr, 32, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(findings(), "wrong_direction wrong_direction");
  EXPECT_EQ(cuda.cudaMemcpy(ptr, source.data(), 32, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cuda.cudaMemset(source.data(), 0, 32), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "wrong_direction wrong_direction wrong_direction");
}

TEST_F(VirtualCudaCopy, PastTheEndIsFoundToTheByte) {
  auto source = counting();
  void* ptr = device_memory(31);
  EXPECT_EQ(cuda.cudaMemcpy(ptr, source.data(), 31, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(cuda.cudaMemcpy(ptr, source.data(), 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cuda.cudaMemset(static_cast<char*>(ptr) - 1, 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cuda.cudaMemset(static_cast<char*>(ptr) + 8192, 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "out_of_bounds out_of_bounds out_of_bounds");
}

TEST_F(VirtualCudaCopy, NoBytesNeedNoPointers) {
  EXPECT_EQ(cuda.cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cuda.cudaMemset(nullptr, 0, 0), cudaSuccess);
  int one = 0;
  EXPECT_EQ(cuda.cudaMemcpy(&one, nullptr, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaCopy, DeviceVariablesLiveOnEachDevice) {
  static char host_variable;
  cuda.__cudaRegisterVar(nullptr, &host_variable, nullptr, "counter", 0, 4, 0, 1);
  const int value = 41;
  ASSERT_EQ(cuda.cudaMemcpyToSymbol(&host_variable, &value, 4, 0, cudaMemcpyHostToDevice),
            cudaSuccess);
  void* at = nullptr;
  ASSERT_EQ(cuda.cudaGetSymbolAddress(&at, &host_variable), cudaSuccess);
  int back = 0;
  ASSERT_EQ(cuda.cudaMemcpyFromSymbol(&back, &host_variable, 4, 0, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(back, 41);
  EXPECT_EQ(cuda.cudaGetSymbolAddress(&at, &back), cudaErrorInvalidSymbol);
  EXPECT_EQ(cuda.check_leaks(0), 0);
}

TEST_F(VirtualCudaCopy, CallsAreRecorded) {
  const uint64_t before = cuda.call_count();
  cuda.enter("aoti_torch_copy_");
  void* ptr = device_memory(16);
  char host[16] = {};
  ASSERT_EQ(cuda.cudaMemcpy(ptr, host, 16, cudaMemcpyHostToDevice), cudaSuccess);
  cuda.enter(nullptr);
  aoti_cts_vcuda_call call;
  ASSERT_EQ(cuda.get_call(before + 2, &call), 0);
  EXPECT_STREQ(call.function, "cudaMemcpy");
  EXPECT_STREQ(call.shim, "aoti_torch_copy_");
  EXPECT_EQ(call.dst, number(ptr));
  EXPECT_EQ(call.src, number(host));
  EXPECT_EQ(call.bytes, 16U);
  EXPECT_EQ(call.kind, 1);
  EXPECT_EQ(call.error, 0);
  EXPECT_NE(cuda.get_call(before + 3, &call), 0);
}

}  // namespace
}  // namespace aoti_cts::vcuda
