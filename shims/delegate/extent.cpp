// See extent.h.
#include "delegate/extent.h"

#include <aoti_program/program.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "delegate/delegate.h"

namespace aoti_cts::delegate {

std::string show(std::span<const int64_t> sizes) {
  std::string text = "{";
  for (const int64_t size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "}";
}

std::string dtype_text(int32_t code) {
  switch (code) {
    case 0:
      return "uint8";
    case 1:
      return "int8";
    case 2:
      return "int16";
    case 3:
      return "int32";
    case 4:
      return "int64";
    case 5:
      return "float16";
    case 6:
      return "float32";
    case 7:
      return "float64";
    case 11:
      return "bool";
    case 15:
      return "bfloat16";
    default:
      break;
  }
  const bool narrow = code >= 0 && code <= std::numeric_limits<int8_t>::max();
  const char* const name = narrow ? program::scalar_type_name(static_cast<int8_t>(code)) : nullptr;
  return "dtype " + std::to_string(code) + (name == nullptr ? "" : std::string(" ") + name);
}

std::vector<int64_t> packed_like(std::span<const int64_t> sizes, std::span<const int64_t> like) {
  std::vector<size_t> inner_first(sizes.size());
  std::iota(inner_first.rbegin(), inner_first.rend(), size_t{0});
  std::stable_sort(inner_first.begin(), inner_first.end(),
                   [&](size_t a, size_t b) { return like[a] < like[b]; });
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (const size_t dim : inner_first) {
    strides[dim] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(sizes[dim], 1), &stride)) {
      throw Error("sizes " + show(sizes) + " have strides beyond 64 bits");
    }
  }
  return strides;
}

uint64_t extent_bytes(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                      uint64_t element_bytes) {
  bool empty = false;
  bool wraps = false;
  uint64_t last = 0;  // the last element's distance from the first
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || strides[i] < 0) {
      throw Error("sizes " + show(sizes) + " with strides " + show(strides) + " are negative");
    }
    empty = empty || sizes[i] == 0;
    uint64_t step = 0;
    wraps = wraps ||
            __builtin_mul_overflow(static_cast<uint64_t>(std::max<int64_t>(sizes[i], 1) - 1),
                                   static_cast<uint64_t>(strides[i]), &step) ||
            __builtin_add_overflow(last, step, &last);
  }
  uint64_t bytes = 0;
  if (empty) return 0;
  if (wraps || __builtin_add_overflow(last, uint64_t{1}, &last) ||
      __builtin_mul_overflow(last, element_bytes, &bytes)) {
    throw Error("sizes " + show(sizes) + " need more bytes than 64 bits count");
  }
  return bytes;
}

}  // namespace aoti_cts::delegate
