// Injected faults, sticky errors, kernels, and the codes' names.
//
//   AOTI_CTS_TEST_CUDART=.../libcudart.so.13 virtual_cuda_test --gtest_filter='*Fault*'
//
// prints "[  PASSED  ]".
#include <cerrno>

#include "virtual_cuda/tests/library.h"

namespace aoti_cts::vcuda {
namespace {

class VirtualCudaFault : public VirtualCuda {
 protected:
  void TearDown() override { cuda.fault(nullptr, nullptr, 0); }
};

TEST_F(VirtualCudaFault, StrikesTheNthCallOnce) {
  ASSERT_EQ(cuda.fault("cudaMalloc:2:2", nullptr, 0), 0);
  void* ptr = nullptr;
  EXPECT_EQ(cuda.cudaMalloc(&ptr, 8), cudaSuccess);
  void* second = nullptr;
  EXPECT_EQ(cuda.cudaMalloc(&second, 8), cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(cuda.faults_struck(), 1);
  EXPECT_EQ(cuda.cudaMalloc(&second, 8), cudaSuccess);
  EXPECT_EQ(cuda.cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST_F(VirtualCudaFault, AnyFunctionButErrorQueries) {
  ASSERT_EQ(cuda.fault("*:2:46", nullptr, 0), 0);
  int device = 0;
  EXPECT_EQ(cuda.cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cuda.cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cuda.cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cuda.cudaSetDevice(0), cudaErrorDevicesUnavailable);
}

TEST_F(VirtualCudaFault, StickyErrorsStay) {
  ASSERT_EQ(cuda.fault("cudaMemset:1:700", nullptr, 0), 0);
  void* ptr = device_memory(8);
  EXPECT_EQ(cuda.cudaMemset(ptr, 0, 8), cudaErrorIllegalAddress);
  EXPECT_EQ(cuda.cudaMemset(ptr, 0, 8), cudaErrorIllegalAddress);
  EXPECT_EQ(cuda.cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cuda.cudaGetLastError(), cudaErrorIllegalAddress);
  ASSERT_EQ(cuda.fault("", nullptr, 0), 0);
  EXPECT_EQ(cuda.cudaMemset(ptr, 0, 8), cudaSuccess);
}

TEST_F(VirtualCudaFault, AFreeThatWasMadeToFailIsNoLeak) {
  void* ptr = device_memory(8);
  ASSERT_EQ(cuda.fault("cudaFree:1:4", nullptr, 0), 0);
  EXPECT_EQ(cuda.cudaFree(ptr), cudaErrorCudartUnloading);
  EXPECT_EQ(live().device_allocations, 1);
  EXPECT_EQ(cuda.check_leaks(0), 0);
}

TEST_F(VirtualCudaFault, InsideOnlyLeavesTheTestersOwnCallsAlone) {
  ASSERT_EQ(cuda.fault("*:1:999", nullptr, 0), 0);
  cuda.fault_inside_only(1);
  int device = 0;
  EXPECT_EQ(cuda.cudaGetDevice(&device), cudaSuccess);
  cuda.enter("aoti_torch_clone");
  EXPECT_EQ(cuda.cudaGetDevice(&device), cudaErrorUnknown);
  cuda.enter(nullptr);
}

TEST_F(VirtualCudaFault, BadSpecificationsSayWhatIsWrong) {
  char message[200] = "";
  EXPECT_EQ(cuda.fault("cudaMalloc", message, sizeof message), EINVAL);
  EXPECT_STREQ(message, "'cudaMalloc' is not FUNCTION:N:CODE");
  EXPECT_EQ(cuda.fault("cudaMalloc:0:2", message, sizeof message), EINVAL);
  EXPECT_STREQ(message, "'cudaMalloc:0:2': N counts calls from 1");
  EXPECT_EQ(cuda.fault("cudaMalloc:1:5000", message, sizeof message), EINVAL);
  EXPECT_STREQ(message, "'cudaMalloc:1:5000': CODE is no error code of CUDA");
  EXPECT_EQ(cuda.fault("cudaMallocc:1:2", message, sizeof message), EINVAL);
  EXPECT_STREQ(message, "'cudaMallocc' is not a function of the virtual device");
}

TEST_F(VirtualCudaFault, KernelLaunchFailsAndLeavesItsName) {
  static char host_function;
  cuda.__cudaRegisterFunction(nullptr, &host_function, nullptr, "_Z6squarePfi", -1, nullptr,
                              nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(cuda.cudaLaunchKernel(&host_function, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr),
            cudaErrorNoKernelImageForDevice);
  EXPECT_STREQ(cuda.kernel(0), "square(float*, int)");
  EXPECT_EQ(cuda.kernel(1), nullptr);
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(cuda.__cudaGetKernel(&kernel, &host_function), cudaSuccess);
  EXPECT_EQ(cuda.__cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr),
            cudaErrorNoKernelImageForDevice);
  cudaFuncAttributes attributes;
  EXPECT_EQ(cuda.cudaFuncGetAttributes(&attributes, &host_function), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  int blocks = 0;
  EXPECT_EQ(cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host_function, 256, 0),
            cudaSuccess);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cuda.cudaLaunchKernel(&blocks, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
            cudaErrorInvalidResourceHandle);
}

TEST_F(VirtualCudaFault, LaunchConfigurationsNest) {
  ASSERT_EQ(cuda.__cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, nullptr), 0U);
  dim3 grid{};
  dim3 block{};
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cuda.__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.z, 3U);
  EXPECT_EQ(block.x, 4U);
  EXPECT_EQ(shared, 7U);
  EXPECT_EQ(cuda.__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
            cudaErrorMissingConfiguration);
}

TEST_F(VirtualCudaFault, CodesHaveTheirNames) {
  EXPECT_STREQ(cuda.cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cuda.cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cuda.cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
  EXPECT_EQ(cudaErrorNoKernelImageForDevice, 209);
}

TEST_F(VirtualCudaFault, DevicesDescribeThemselves) {
  int value = 0;
  EXPECT_EQ(cuda.cudaDeviceGetAttribute(&value, 75, 0), cudaSuccess);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(cuda.cudaDeviceGetAttribute(&value, 75, 3), cudaErrorInvalidDevice);
  char bus[16] = "";
  ASSERT_EQ(cuda.cudaDeviceGetPCIBusId(bus, sizeof bus, 2), cudaSuccess);
  int device = -1;
  EXPECT_EQ(cuda.cudaDeviceGetByPCIBusId(&device, bus), cudaSuccess);
  EXPECT_EQ(device, 2);
  int can = 0;
  EXPECT_EQ(cuda.cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cuda.cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cuda.cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cuda.cudaDeviceDisablePeerAccess(1), cudaSuccess);
}

}  // namespace
}  // namespace aoti_cts::vcuda
