// The CUDA runtime's types as far as functions.def needs them, told without CUDA's headers.
//
// The virtual device has to build where no CUDA toolkit is: that is its point. So the types stand
// here in their own namespace, equal in size and register class to the real ones
// (tests/layout_test.cpp compares them with the toolkit's headers where there are any). Handles are
// opaque pointers of types of their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aoti_cts::vcuda {

enum cudaError_t : unsigned {
#define VCUDA_ERROR(code, name, sticky, words) name = code,
#include "virtual_cuda/errors.def"
#undef VCUDA_ERROR
};

enum cudaMemcpyKind : unsigned {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

enum cudaMemoryType : unsigned {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

struct StreamObject;
struct EventObject;
struct PoolObject;
struct KernelObject;
using cudaStream_t = StreamObject*;
using cudaEvent_t = EventObject*;
using cudaMemPool_t = PoolObject*;
using cudaKernel_t = KernelObject*;

using cudaHostFn_t = void (*)(void* user_data);
using cudaStreamCallback_t = void (*)(cudaStream_t stream, cudaError_t status, void* user_data);

struct dim3 {
  unsigned x, y, z;
};

/// CUDA 12 gives 24 bytes; CUDA 13 adds 64 reserved ones, which are zeroed there.
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
inline constexpr std::size_t pointer_attributes_size_12 = 24;
inline constexpr std::size_t pointer_attributes_size_13 = 88;

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
  int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};

/// The start of cudaDeviceProp, which is the same in CUDA 12 and 13; the rest is zeroed up to the
/// sizes below.
struct cudaDeviceProp {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
};
inline constexpr std::size_t device_prop_size_12 = 1032;
inline constexpr std::size_t device_prop_size_13 = 1008;

struct cudaMemLocation {
  int type;
  int id;
};

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  void* attrs;
  unsigned numAttrs;
};

}  // namespace aoti_cts::vcuda
