// Look-ups in the dtype table. A code is judged as the int32 it comes as.
#include "tensor/dtype.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

struct Row {
  DType dtype;
  const char* name;
  int64_t bytes;
};

constexpr Row rows[] = {
#define AOTI_DTYPE(name, code, bytes) {DType::name, #name, bytes},
    AOTI_DTYPES(AOTI_DTYPE)
#undef AOTI_DTYPE
};

const Row& row_of(int32_t code) {
  for (const Row& row : rows) {
    if (static_cast<int32_t>(row.dtype) == code) return row;
  }
  refuse("dtype", code, "the code of a known dtype");
}

}  // namespace

DType dtype_of(int32_t code) { return row_of(code).dtype; }

int64_t item_size(DType dtype) { return row_of(static_cast<int32_t>(dtype)).bytes; }

const char* to_string(DType dtype) { return row_of(static_cast<int32_t>(dtype)).name; }

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
