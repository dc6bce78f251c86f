// Arithmetic on a tensor's memory, for both modes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aoti_cts::delegate {

/// {2, 3} as text.
std::string show(std::span<const int64_t> sizes);

/// A dtype's code as the shim that gives it is named, "float32"; what has none as programs name it.
std::string dtype_text(int32_t code);

/// Strides that pack `sizes` in the order of memory that `like` has: its largest stride stays the
/// outermost. Throws Error where a stride leaves 64 bits.
std::vector<int64_t> packed_like(std::span<const int64_t> sizes, std::span<const int64_t> like);

/// Bytes from the first element to behind the last. Throws Error where they leave 64 bits, and for
/// a negative size or stride.
uint64_t extent_bytes(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                      uint64_t element_bytes);

}  // namespace aoti_cts::delegate
