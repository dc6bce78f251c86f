// Readers and writers of elements. The rules: to an integer, a real truncates toward zero, is
// clamped where out of range, and NaN is 0; an integer wraps. To bool, everything but zero is true,
// NaN included. To half and bfloat16 by way of float, as libtorch goes.
#include "tensor/convert.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

template <class To, class From>
To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

Number number_of(double value) { return {Number::Kind::Real, 0, 0, value}; }

template <class T>
Number read(const std::byte* from) {
  const T value = load<T>(from);
  if constexpr (std::is_floating_point_v<T>) {
    return number_of(static_cast<double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    return {Number::Kind::Signed, value, 0, 0};
  } else {
    return {Number::Kind::Unsigned, 0, value, 0};
  }
}

// A bool is a byte, of which a borrowed one may hold anything: reading it as bool would be
// undefined.
Number read_bool(const std::byte* from) {
  return {Number::Kind::Unsigned, 0, load<uint8_t>(from) != 0 ? uint64_t{1} : uint64_t{0}, 0};
}
Number read_half(const std::byte* from) { return number_of(half_to_float(load<uint16_t>(from))); }
Number read_bfloat16(const std::byte* from) {
  return number_of(bfloat16_to_float(load<uint16_t>(from)));
}

// Both bounds are powers of two and so exact as double: low <= value < high is representable.
template <class T>
T truncate(double value) {
  if (std::isnan(value)) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
  const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value <= low) return std::numeric_limits<T>::min();
  if (value >= high) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

template <class T>
T number_as(const Number& value) {
  switch (value.kind) {
    case Number::Kind::Signed:
      return static_cast<T>(value.as_signed);
    case Number::Kind::Unsigned:
      return static_cast<T>(value.as_unsigned);
    case Number::Kind::Real:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.as_real);
  } else {
    return truncate<T>(value.as_real);
  }
}

template <class T>
void write(std::byte* to, const Number& value) {
  store<T>(to, number_as<T>(value));
}

void write_bool(std::byte* to, const Number& value) {
  const bool zero = value.as_signed == 0 && value.as_unsigned == 0 && value.as_real == 0;
  store<uint8_t>(to, zero ? 0 : 1);
}
void write_half(std::byte* to, const Number& value) {
  store<uint16_t>(to, float_to_half(number_as<float>(value)));
}
void write_bfloat16(std::byte* to, const Number& value) {
  store<uint16_t>(to, float_to_bfloat16(number_as<float>(value)));
}

}  // namespace

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1FU;
  const uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0x1F) return bits_as<float>(sign | 0x7F800000U | (fraction << 13));
  if (exponent != 0) return bits_as<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  // Subnormal: fraction * 2^-24, exact in float.
  const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -magnitude : magnitude;
}

uint16_t float_to_half(float value) {
  const auto bits = bits_as<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | 0x7E00U;   // NaN
  if (magnitude >= 0x477FF000U) return sign | 0x7C00U;  // 65520 and more round to infinity
  // Drop `shift` bits of a significand of 24, round half to even; a carry runs into the exponent,
  // where it belongs.
  uint32_t significand = magnitude & 0x7FFFFFU;
  const uint32_t exponent = magnitude >> 23;
  uint32_t shift = 13;
  uint32_t base = 0;
  if (exponent >= 113) {
    base = (exponent - 112) << 10;
  } else {
    significand |= 0x800000U;
    shift = 126 - exponent;       // subnormal half: unit 2^-24
    if (shift > 25) return sign;  // below half of the smallest subnormal
  }
  const uint32_t kept = significand >> shift;
  const uint32_t rest = significand & ((1U << shift) - 1);
  const uint32_t half_unit = 1U << (shift - 1);
  const bool up = rest > half_unit || (rest == half_unit && (kept & 1U) != 0);
  return static_cast<uint16_t>(sign | (base + kept + (up ? 1 : 0)));
}

float bfloat16_to_float(uint16_t bits) { return bits_as<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t float_to_bfloat16(float value) {
  const auto bits = bits_as<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
    return static_cast<uint16_t>((bits >> 16) & 0x8000U) | 0x7FC0U;
  }
  // Adding just below half a unit, and one more where the kept part is odd, rounds half to even.
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

ReadElement reader_of(DType dtype) {
  switch (dtype) {
    case DType::uint8:
      return read<uint8_t>;
    case DType::int8:
      return read<int8_t>;
    case DType::int16:
      return read<int16_t>;
    case DType::int32:
      return read<int32_t>;
    case DType::int64:
      return read<int64_t>;
    case DType::uint16:
      return read<uint16_t>;
    case DType::uint32:
      return read<uint32_t>;
    case DType::uint64:
      return read<uint64_t>;
    case DType::float32:
      return read<float>;
    case DType::float64:
      return read<double>;
    case DType::boolean:
      return read_bool;
    case DType::float16:
      return read_half;
    case DType::bfloat16:
      return read_bfloat16;
    default:
      return nullptr;
  }
}

WriteElement writer_of(DType dtype) {
  switch (dtype) {
    case DType::uint8:
      return write<uint8_t>;
    case DType::int8:
      return write<int8_t>;
    case DType::int16:
      return write<int16_t>;
    case DType::int32:
      return write<int32_t>;
    case DType::int64:
      return write<int64_t>;
    case DType::uint16:
      return write<uint16_t>;
    case DType::uint32:
      return write<uint32_t>;
    case DType::uint64:
      return write<uint64_t>;
    case DType::float32:
      return write<float>;
    case DType::float64:
      return write<double>;
    case DType::boolean:
      return write_bool;
    case DType::float16:
      return write_half;
    case DType::bfloat16:
      return write_bfloat16;
    default:
      return nullptr;
  }
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
