// Streams and events: nothing happens before a synchronisation, and order is CUDA's.
//
//   AOTI_CTS_TEST_CUDART=.../libcudart.so.13 virtual_cuda_test --gtest_filter='*Stream*'
//
// prints "[  PASSED  ]".
#include <array>
#include <cstring>

#include "virtual_cuda/tests/library.h"

namespace aoti_cts::vcuda {
namespace {

class VirtualCudaStream : public VirtualCuda {
 protected:
  cudaStream_t stream(unsigned flags = 0) const {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cuda.cudaStreamCreateWithFlags(&made, flags), cudaSuccess);
    return made;
  }
  unsigned char* pinned(size_t bytes) const {
    void* ptr = nullptr;
    EXPECT_EQ(cuda.cudaHostAlloc(&ptr, bytes, 0), cudaSuccess);
    return static_cast<unsigned char*>(ptr);
  }
  unsigned char peek(const void* ptr) const {
    unsigned char byte = 0;
    EXPECT_EQ(cuda.peek(&byte, number(ptr), 1), 0);
    return byte;
  }
  void copy_in(void* to, unsigned char* from, cudaStream_t on) const {
    EXPECT_EQ(cuda.cudaMemcpyAsync(to, from, 4, cudaMemcpyHostToDevice, on), cudaSuccess);
  }
};

TEST_F(VirtualCudaStream, AsyncCopyCompletesAtASynchronisationOnly) {
  unsigned char* host = pinned(4);
  void* ptr = device_memory(4);
  host[0] = 9;
  cudaStream_t one = stream();
  copy_in(ptr, host, one);
  EXPECT_EQ(peek(ptr), 0xCD);
  EXPECT_EQ(live().pending, 1);
  EXPECT_EQ(cuda.cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(peek(ptr), 9);
  EXPECT_EQ(live().pending, 0);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaStream, PageableMemoryIsDoneWithAtReturn) {
  unsigned char host[4] = {5, 5, 5, 5};
  void* ptr = device_memory(4);
  cudaStream_t one = stream();
  copy_in(ptr, host, one);
  host[0] = 6;
  EXPECT_EQ(peek(ptr), 0xCD) << "the device side is still ordered on the stream";
  unsigned char back[4] = {};
  EXPECT_EQ(cuda.cudaMemcpyAsync(back, ptr, 4, cudaMemcpyDeviceToHost, one), cudaSuccess);
  EXPECT_EQ(back[0], 5);
}

TEST_F(VirtualCudaStream, QueryReportsAndMakesProgress) {
  unsigned char* host = pinned(4);
  void* ptr = device_memory(4);
  cudaStream_t one = stream();
  copy_in(ptr, host, one);
  EXPECT_EQ(cuda.cudaStreamQuery(one), cudaErrorNotReady);
  EXPECT_EQ(cuda.cudaStreamQuery(one), cudaSuccess);
}

TEST_F(VirtualCudaStream, DefaultStreamWaitsForBlockingStreamsOnly) {
  unsigned char* host = pinned(4);
  host[0] = 3;
  void* ptr = device_memory(4);
  void* other = device_memory(4);
  cudaStream_t blocking = stream();
  cudaStream_t free_running = stream(1);
  copy_in(ptr, host, blocking);
  copy_in(other, host, free_running);
  EXPECT_EQ(cuda.cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(peek(ptr), 0xCD) << "nothing was queued on the default stream";
  EXPECT_EQ(cuda.cudaMemset(ptr, 8, 1), cudaSuccess);
  EXPECT_EQ(cuda.cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(peek(ptr), 8);
  EXPECT_EQ(peek(static_cast<char*>(ptr) + 1), host[1]);
  EXPECT_EQ(peek(other), 0xCD);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaStream, EventsOrderStreams) {
  unsigned char* host = pinned(4);
  host[0] = 4;
  void* ptr = device_memory(4);
  cudaStream_t writer = stream(1);
  cudaStream_t reader = stream(1);
  cudaEvent_t ready = nullptr;
  ASSERT_EQ(cuda.cudaEventCreateWithFlags(&ready, 2), cudaSuccess);
  EXPECT_EQ(cuda.cudaEventQuery(ready), cudaSuccess);
  copy_in(ptr, host, writer);
  ASSERT_EQ(cuda.cudaEventRecord(ready, writer), cudaSuccess);
  ASSERT_EQ(cuda.cudaStreamWaitEvent(reader, ready, 0), cudaSuccess);
  unsigned char back[4] = {};
  ASSERT_EQ(cuda.cudaMemcpyAsync(back, ptr, 4, cudaMemcpyDeviceToHost, reader), cudaSuccess);
  EXPECT_EQ(back[0], 4);
  EXPECT_EQ(cuda.cudaEventQuery(ready), cudaSuccess);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(cuda.cudaEventDestroy(ready), cudaSuccess);
}

TEST_F(VirtualCudaStream, UnorderedUseOfOneMemoryIsARace) {
  unsigned char* host = pinned(4);
  void* ptr = device_memory(4);
  copy_in(ptr, host, stream(1));
  unsigned char back[4];
  EXPECT_EQ(cuda.cudaMemcpyAsync(back, ptr, 4, cudaMemcpyDeviceToHost, stream(1)), cudaSuccess);
  EXPECT_EQ(findings(), "race");
}

TEST_F(VirtualCudaStream, FreeOnAnotherStreamWhileInUseIsARace) {
  unsigned char* host = pinned(4);
  void* ptr = nullptr;
  cudaStream_t one = stream(1);
  ASSERT_EQ(cuda.cudaMallocAsync(&ptr, 4, one), cudaSuccess);
  copy_in(ptr, host, one);
  EXPECT_EQ(cuda.cudaFreeAsync(ptr, stream(1)), cudaSuccess);
  EXPECT_EQ(findings(), "race");
}

TEST_F(VirtualCudaStream, OrderedAllocationAndFree) {
  cudaStream_t one = stream();
  void* ptr = nullptr;
  ASSERT_EQ(cuda.cudaMallocAsync(&ptr, 4, one), cudaSuccess);
  ASSERT_EQ(cuda.cudaMemsetAsync(ptr, 1, 4, one), cudaSuccess);
  ASSERT_EQ(cuda.cudaFreeAsync(ptr, one), cudaSuccess);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(cuda.cudaMemsetAsync(ptr, 1, 4, one), cudaSuccess);
  EXPECT_EQ(findings(), "use_after_free");
  EXPECT_EQ(cuda.cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(live().device_allocations, 0);
  EXPECT_EQ(cuda.cudaFree(ptr), cudaErrorInvalidValue);
  EXPECT_EQ(findings(), "use_after_free double_free");
}

TEST_F(VirtualCudaStream, FreeWaitsForPendingWork) {
  unsigned char* host = pinned(4);
  void* ptr = device_memory(4);
  copy_in(ptr, host, stream(1));
  EXPECT_EQ(cuda.cudaFree(ptr), cudaSuccess);
  EXPECT_EQ(live().pending, 0);
  EXPECT_EQ(findings(), "");
}

TEST_F(VirtualCudaStream, StreamOfAnotherDeviceIsFound) {
  unsigned char* host = pinned(4);
  void* on_0 = device_memory(4);
  ASSERT_EQ(cuda.cudaSetDevice(1), cudaSuccess);
  cudaStream_t of_1 = stream();
  copy_in(on_0, host, of_1);
  EXPECT_EQ(findings(), "stream_device");
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cuda.cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cuda.cudaEventRecord(event, of_1), cudaSuccess);
  ASSERT_EQ(cuda.cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cuda.cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(findings(), "stream_device stream_device");
}

TEST_F(VirtualCudaStream, DestroyedStreamStillRunsItsWorkAndIsDead) {
  unsigned char* host = pinned(4);
  host[0] = 2;
  void* ptr = device_memory(4);
  cudaStream_t one = stream();
  copy_in(ptr, host, one);
  EXPECT_EQ(cuda.cudaStreamDestroy(one), cudaSuccess);
  EXPECT_EQ(live().streams, 0);
  EXPECT_EQ(cuda.cudaStreamSynchronize(one), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(findings(), "dead_stream");
  EXPECT_EQ(cuda.cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(peek(ptr), 2);
}

TEST_F(VirtualCudaStream, CallbacksRunInOrder) {
  static std::string order;
  order.clear();
  cudaStream_t one = stream();
  ASSERT_EQ(cuda.cudaLaunchHostFunc(
                one, [](void*) { order += "a"; }, nullptr),
            cudaSuccess);
  ASSERT_EQ(cuda.cudaStreamAddCallback(
                one, [](cudaStream_t, cudaError_t, void*) { order += "b"; }, nullptr, 0),
            cudaSuccess);
  EXPECT_EQ(order, "");
  ASSERT_EQ(cuda.cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(order, "ab");
}

TEST_F(VirtualCudaStream, TimesAndAttributes) {
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  ASSERT_EQ(cuda.cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cuda.cudaEventCreate(&end), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cuda.cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cuda.cudaEventRecord(start, nullptr), cudaSuccess);
  ASSERT_EQ(cuda.cudaEventRecord(end, nullptr), cudaSuccess);
  EXPECT_EQ(cuda.cudaEventElapsedTime(&ms, start, end), cudaErrorNotReady);
  ASSERT_EQ(cuda.cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cuda.cudaEventElapsedTime(&ms, start, end), cudaSuccess);
  EXPECT_GT(ms, 0);
  cudaStream_t made = nullptr;
  ASSERT_EQ(cuda.cudaStreamCreateWithPriority(&made, 1, -2), cudaSuccess);
  int priority = 0;
  unsigned flags = 0;
  EXPECT_EQ(cuda.cudaStreamGetPriority(made, &priority), cudaSuccess);
  EXPECT_EQ(priority, -2);
  EXPECT_EQ(cuda.cudaStreamGetFlags(made, &flags), cudaSuccess);
  EXPECT_EQ(flags, 1U);
}

}  // namespace
}  // namespace aoti_cts::vcuda
