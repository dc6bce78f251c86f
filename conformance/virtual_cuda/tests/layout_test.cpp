// Our own telling of CUDA's types and codes against the real headers.
//
//   virtual_cuda_layout_13
//
// prints "[  PASSED  ] 3 tests."
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace {

struct Row {
  const char* name;
  int code;
};
constexpr Row rows[] = {
#define VCUDA_ERROR(code, name, sticky, words) {#name, code},
#include "virtual_cuda/errors.def"
#undef VCUDA_ERROR
};

constexpr Row real_rows[] = {
#define VCUDA_ERROR(code, name, sticky, words) {#name, name},
#include "virtual_cuda/errors.def"
#undef VCUDA_ERROR
};

TEST(Layout, ErrorCodes) {
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    EXPECT_EQ(rows[i].code, real_rows[i].code) << rows[i].name;
  }
}

TEST(Layout, Sizes) {
  EXPECT_EQ(sizeof(cudaError_t), 4U);
  EXPECT_EQ(sizeof(cudaFuncAttributes), 144U);
  EXPECT_EQ(sizeof(cudaMemLocation), 8U);
  EXPECT_EQ(sizeof(cudaLaunchConfig_t), 56U);
#if CUDART_VERSION >= 13000
  EXPECT_EQ(sizeof(cudaPointerAttributes), 88U);
  EXPECT_EQ(sizeof(cudaDeviceProp), 1008U);
#else
  EXPECT_EQ(sizeof(cudaPointerAttributes), 24U);
  EXPECT_EQ(sizeof(cudaDeviceProp), 1032U);
#endif
}

constexpr std::size_t of_this_version(std::size_t cuda_12, std::size_t cuda_13) {
  return CUDART_VERSION >= 13000 ? cuda_13 : cuda_12;
}

TEST(Layout, Offsets) {
  EXPECT_EQ(offsetof(cudaPointerAttributes, device), 4U);
  EXPECT_EQ(offsetof(cudaPointerAttributes, devicePointer), 8U);
  EXPECT_EQ(offsetof(cudaPointerAttributes, hostPointer), 16U);
  EXPECT_EQ(offsetof(cudaDeviceProp, totalGlobalMem), 288U);
  EXPECT_EQ(offsetof(cudaDeviceProp, maxGridSize), 336U);
#define VCUDA_PROPERTY(field, offset_12, offset_13, width, attribute)                \
  EXPECT_EQ(offsetof(cudaDeviceProp, field), of_this_version(offset_12, offset_13)); \
  EXPECT_EQ(sizeof(cudaDeviceProp::field), std::size_t{width});
#include "virtual_cuda/properties.def"
#undef VCUDA_PROPERTY
  EXPECT_EQ(offsetof(cudaFuncAttributes, maxThreadsPerBlock), 24U);
  EXPECT_EQ(offsetof(cudaLaunchConfig_t, stream), 32U);
}

}  // namespace
