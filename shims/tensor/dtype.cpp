// Look-ups in the dtype table. A code is judged as the int32 it comes as.
#include "tensor/dtype.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

DType dtype_of(int32_t code) {
  switch (code) {
#define AOTI_DTYPE(name, value, bytes) case value:
    AOTI_DTYPES(AOTI_DTYPE)
#undef AOTI_DTYPE
    return static_cast<DType>(code);
  }
  refuse("dtype", code, "the code of a known dtype");
}

int64_t item_size(DType dtype) {
  switch (dtype) {
#define AOTI_DTYPE(name, value, bytes) \
  case DType::name:                    \
    return bytes;
    AOTI_DTYPES(AOTI_DTYPE)
#undef AOTI_DTYPE
  }
  refuse("dtype", static_cast<int32_t>(dtype), "the code of a known dtype");
}

const char* to_string(DType dtype) {
  switch (dtype) {
#define AOTI_DTYPE(name, value, bytes) \
  case DType::name:                    \
    return #name;
    AOTI_DTYPES(AOTI_DTYPE)
#undef AOTI_DTYPE
  }
  return "unknown";
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
