// The plainest tensors there are, to predict what a runtime's do; see calls.h.
#pragma once

#include <aoti_shim/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aoti_cts::fuzz {

struct ModelStorage {
  std::vector<uint8_t> bytes;  ///< what it holds
  uint8_t* real = nullptr;     ///< where the runtime has it; null where it has no bytes
  std::unique_ptr<uint8_t[]> callers_bytes;  ///< of a tensor from a blob
  std::string name;                          ///< of its address in the C program
  bool on_device = false;
};

using Dims = std::vector<int64_t>;

struct ModelTensor {
  AtenTensorHandle handle = nullptr;
  std::string name;  ///< in the C program
  Dims sizes;
  Dims strides;
  int64_t offset = 0;
  int32_t dtype = 0;
  int32_t device = -1;  ///< of CUDA; -1 for the CPU
  std::shared_ptr<ModelStorage> storage;
};

/// Bytes of one element of the nine dtypes of the ABI; 0 for any other code.
inline int64_t item_bytes(int32_t dtype) {
  switch (dtype) {
    case 0:   // uint8
    case 1:   // int8
    case 11:  // bool
      return 1;
    case 2:   // int16
    case 5:   // float16
    case 15:  // bfloat16
      return 2;
    case 3:  // int32
    case 6:  // float32
      return 4;
    case 4:  // int64
      return 8;
    default:
      return 0;
  }
}

inline int64_t numel(const Dims& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

/// Elements from the first to behind the last; 0 where there are none.
inline int64_t extent(const Dims& sizes, const Dims& strides) {
  if (numel(sizes) == 0) return 0;
  int64_t last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * strides[i];
  return last + 1;
}

/// Where each element is, in elements from the first, by logical index.
inline Dims element_offsets(const Dims& sizes, const Dims& strides) {
  Dims all(1, 0);
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    Dims next;
    for (const int64_t at : all) {
      for (int64_t i = 0; i < sizes[dim]; ++i) next.push_back(at + i * strides[dim]);
    }
    all = std::move(next);
  }
  return all;
}

}  // namespace aoti_cts::fuzz
