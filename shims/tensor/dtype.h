// Element types: their codes (c10::ScalarType of libtorch 2.15.0) and sizes, one row each.
#pragma once

#include "tensor/error.h"

// AOTI_DTYPE(name, code, bytes per element)
#define AOTI_DTYPES(AOTI_DTYPE)      \
  AOTI_DTYPE(uint8, 0, 1)            \
  AOTI_DTYPE(int8, 1, 1)             \
  AOTI_DTYPE(int16, 2, 2)            \
  AOTI_DTYPE(int32, 3, 4)            \
  AOTI_DTYPE(int64, 4, 8)            \
  AOTI_DTYPE(float16, 5, 2)          \
  AOTI_DTYPE(float32, 6, 4)          \
  AOTI_DTYPE(float64, 7, 8)          \
  AOTI_DTYPE(complex32, 8, 4)        \
  AOTI_DTYPE(complex64, 9, 8)        \
  AOTI_DTYPE(complex128, 10, 16)     \
  AOTI_DTYPE(boolean, 11, 1)         \
  AOTI_DTYPE(bfloat16, 15, 2)        \
  AOTI_DTYPE(float8_e5m2, 23, 1)     \
  AOTI_DTYPE(float8_e4m3fn, 24, 1)   \
  AOTI_DTYPE(float8_e5m2fnuz, 25, 1) \
  AOTI_DTYPE(float8_e4m3fnuz, 26, 1) \
  AOTI_DTYPE(uint16, 27, 2)          \
  AOTI_DTYPE(uint32, 28, 4)          \
  AOTI_DTYPE(uint64, 29, 8)          \
  AOTI_DTYPE(float8_e8m0fnu, 44, 1)  \
  AOTI_DTYPE(float4_e2m1fn_x2, 45, 1)

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

enum class DType : int32_t {
#define AOTI_DTYPE(name, code, bytes) name = code,
  AOTI_DTYPES(AOTI_DTYPE)
#undef AOTI_DTYPE
};

/// The dtype behind a code; throws Error for a code that no row has.
DType dtype_of(int32_t code);

/// Bytes per element.
int64_t item_size(DType dtype);

const char* to_string(DType dtype);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
