// What an element becomes when copy_ converts it, worked out from the values and not from how any
// runtime does it: exact arithmetic in long double, which holds every value of the nine dtypes.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "support/shims/model.h"

namespace aoti_cts::fuzz {

template <class T>
T loaded(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

inline long double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const long double fraction = bits & 1023;
  long double value =
      std::ldexp(exponent == 0 ? fraction : fraction + 1024, exponent == 0 ? -24 : exponent - 25);
  if (exponent == 31) value = fraction == 0 ? HUGE_VALL : std::nanl("");
  return (bits & 0x8000) != 0 ? -value : value;
}

/// The value of an element. A bool is 0 or 1.
inline long double value_of(const uint8_t* at, int32_t dtype) {
  switch (dtype) {
    case 0:
      return *at;
    case 1:
      return static_cast<int8_t>(*at);
    case 2:
      return loaded<int16_t>(at);
    case 3:
      return loaded<int32_t>(at);
    case 4:
      return static_cast<long double>(loaded<int64_t>(at));
    case 5:
      return half_value(loaded<uint16_t>(at));
    case 6:
      return loaded<float>(at);
    case 11:
      return *at != 0 ? 1 : 0;
    default: {  // bfloat16: the upper half of a float32
      const uint32_t bits = static_cast<uint32_t>(loaded<uint16_t>(at)) << 16;
      return loaded<float>(reinterpret_cast<const uint8_t*>(&bits));
    }
  }
}

/// To so many significant bits, ties to even; nothing smaller than the unit 2^least.
inline long double rounded(long double value, int bits, int least) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = exponent - bits > least ? exponent - bits : least;
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

/// The bits of a value in a floating dtype; none where it is NaN, or where what it becomes depends
/// on the way there.
inline std::optional<uint64_t> real_bits(long double value, int32_t dtype) {
  const auto single = static_cast<float>(value);
  if (std::isnan(value)) return std::nullopt;
  if (dtype == 6) return loaded<uint32_t>(reinterpret_cast<const uint8_t*>(&single));
  if (static_cast<long double>(single) != value) return std::nullopt;  // rounded twice, or once
  if (dtype == 15) {
    const auto upper = static_cast<float>(std::isinf(single) ? value : rounded(value, 8, -133));
    return loaded<uint32_t>(reinterpret_cast<const uint8_t*>(&upper)) >> 16;
  }
  const uint64_t sign = std::signbit(single) ? 0x8000 : 0;
  const long double half = std::fabs(std::isinf(single) ? value : rounded(value, 11, -24));
  if (std::isinf(half)) return sign | 0x7c00;
  if (half > 65504) return std::nullopt;
  if (half < std::ldexp(1.0L, -14)) return sign | static_cast<uint64_t>(std::ldexp(half, 24));
  int exponent = 0;
  const long double fraction = std::frexp(half, &exponent);  // 0.5 to 1
  return sign | (static_cast<uint64_t>(exponent + 14) << 10) |
         (static_cast<uint64_t>(std::ldexp(fraction, 11)) & 1023);
}

/// The bits of an element of `from` as one of `to`; none where the contract does not say.
inline std::optional<uint64_t> converted(const uint8_t* at, int32_t from, int32_t to) {
  const long double value = value_of(at, from);
  if (to == 5 || to == 6 || to == 15) return real_bits(value, to);
  if (std::isnan(value) || std::isinf(value)) return std::nullopt;
  if (to == 11) return value != 0 ? 1 : 0;
  const auto bits = static_cast<int>(8 * item_bytes(to));
  const long double limit = std::ldexp(1.0L, to == 0 ? bits : bits - 1);
  const long double whole = std::trunc(value);
  if (whole >= limit || whole < (to == 0 ? 0 : -limit)) return std::nullopt;
  return static_cast<uint64_t>(static_cast<int64_t>(whole));
}

/// A source's element offsets as a destination's shape sees them; none where the shapes do not fit.
inline std::optional<Dims> broadcast_offsets(const ModelTensor& from, const Dims& sizes) {
  if (from.sizes.size() > sizes.size()) return std::nullopt;
  const size_t missing = sizes.size() - from.sizes.size();
  Dims strides(sizes.size(), 0);
  for (size_t dim = 0; dim < from.sizes.size(); ++dim) {
    if (from.sizes[dim] == 1) continue;
    if (from.sizes[dim] != sizes[dim + missing]) return std::nullopt;
    strides[dim + missing] = from.strides[dim];
  }
  return element_offsets(sizes, strides);
}

}  // namespace aoti_cts::fuzz
