#include "blobs/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>

#include "blobs/host.h"

namespace aoti_cts::blobs {
namespace {

constexpr std::array<ElementType, 10> element_types{{{"uint8", 0, 1},
                                                     {"int8", 1, 1},
                                                     {"int16", 2, 2},
                                                     {"int32", 3, 4},
                                                     {"int64", 4, 8},
                                                     {"float16", 5, 2},
                                                     {"float32", 6, 4},
                                                     {"float64", 7, 8},
                                                     {"bool", 11, 1},
                                                     {"bfloat16", 15, 2}}};

/// How far two results of the same arithmetic may be apart: absolute + relative * |want|. The
/// figures are those that torch.testing.assert_close documents.
struct Tolerance {
  double relative;
  double absolute;
};

Tolerance tolerance(const ElementType& type) {
  if (type.name == "float64") return {1e-7, 1e-7};
  if (type.name == "float32") return {1.3e-6, 1e-5};
  if (type.name == "float16") return {1e-3, 1e-5};
  if (type.name == "bfloat16") return {1.6e-2, 1e-5};
  return {0, 0};
}

double half_to_double(uint16_t bits) {
  const int exponent = (bits >> 10U) & 31U;
  const int fraction = bits & 1023U;
  double value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? HUGE_VAL : std::nan("");
  } else {
    value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

template <class T>
T element(const Array& array, int64_t index) {
  T value;
  std::memcpy(&value, array.bytes.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

double float_element(const Array& array, int64_t index) {
  if (array.type->name == "float64") return element<double>(array, index);
  if (array.type->name == "float32") return element<float>(array, index);
  const auto bits = element<uint16_t>(array, index);
  if (array.type->name == "float16") return half_to_double(bits);
  const uint32_t wide = static_cast<uint32_t>(bits) << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

bool is_float(const ElementType& type) { return type.name.find("float") != std::string_view::npos; }

int64_t integer_element(const Array& array, int64_t index) {
  switch (array.type->size) {
    case 1:
      return array.type->name == "int8" ? element<int8_t>(array, index)
                                        : element<uint8_t>(array, index);
    case 2:
      return element<int16_t>(array, index);
    case 4:
      return element<int32_t>(array, index);
    default:
      return element<int64_t>(array, index);
  }
}

bool close(double have, double want, const Tolerance& allowed) {
  if (have == want || (std::isnan(have) && std::isnan(want))) return true;
  // An infinity is as far from every other number as from the other one.
  if (!std::isfinite(have) || !std::isfinite(want)) return false;
  return std::fabs(have - want) <= allowed.absolute + allowed.relative * std::fabs(want);
}

/// [1][0] for the second row's first element.
std::string index_text(const std::vector<int64_t>& sizes, int64_t linear) {
  std::string text;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    text.insert(0, fmt::format("[{}]", linear % *size));
    linear /= *size;
  }
  return text;
}

int64_t whole(std::string_view text, std::string_view what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw Error(fmt::format("'{}' is no {}", text, what));
  }
  return value;
}

/// The part of `text` before the next `mark`, which is taken off; all of it where there is none.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

constexpr int64_t max_random_elements = int64_t{1} << 28U;

Array random_array(std::string_view text, std::mt19937_64& random) {
  Array array;
  const std::string_view whole_text = text;
  const std::string_view name = take(text, '[');
  array.type = find_element_type(name);
  if (array.type == nullptr) throw Error(fmt::format("'{}' is no dtype of an array", name));
  if (!text.ends_with(']')) {
    throw Error(fmt::format("'{}' is no dtype[size,size,...]", whole_text));
  }
  text.remove_suffix(1);
  int64_t count = 1;
  while (!text.empty()) {
    array.sizes.push_back(whole(take(text, ','), "size"));
    if (__builtin_mul_overflow(count, array.sizes.back(), &count) || count > max_random_elements) {
      throw Error(fmt::format("'{}' has more than {} elements", whole_text, max_random_elements));
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    const auto bits = random();
    char bytes[8] = {};
    if (array.type->name == "float32") {
      const float value = static_cast<float>(bits >> 40U) / 8388608.0F - 1.0F;
      std::memcpy(bytes, &value, sizeof value);
    } else if (array.type->name == "float64") {
      const double value = static_cast<double>(bits >> 11U) / 4503599627370496.0 - 1.0;
      std::memcpy(bytes, &value, sizeof value);
    } else if (is_float(*array.type)) {
      // Sign, an exponent below that of 1, a few bits of fraction: exact in either 16-bit format.
      const bool half = array.type->name == "float16";
      const auto exponent = static_cast<uint16_t>((half ? 11 : 123) + (bits & 3U));
      const auto value = static_cast<uint16_t>(
          ((bits >> 8U) & 0x8000U) | (exponent << (half ? 10U : 7U)) | ((bits >> 32U) & 127U));
      std::memcpy(bytes, &value, sizeof value);
    } else {
      bytes[0] = static_cast<char>(bits % (array.type->name == "bool" ? 2 : 10));
    }
    array.bytes.append(bytes, static_cast<std::size_t>(array.type->size));
  }
  return array;
}

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  for (const ElementType& type : element_types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

const ElementType* find_element_type(int32_t code) {
  for (const ElementType& type : element_types) {
    if (type.code == code) return &type;
  }
  return nullptr;
}

std::vector<Array> random_arrays(std::string_view text) {
  take(text, ':');  // "random"
  const auto seed = whole(take(text, ':'), "seed");
  if (text.empty()) {
    throw Error(
        "a compiled model does not tell the sizes of its inputs: give them, as in "
        "random:7:float32[8,4];int64[5]");
  }
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  std::vector<Array> arrays;
  while (!text.empty()) {
    arrays.push_back(random_array(take(text, ';'), random));
    arrays.back().name = fmt::format("input_{}", arrays.size() - 1);
  }
  return arrays;
}

std::string element_text(const Array& array, int64_t index) {
  return is_float(*array.type) ? fmt::format("{}", float_element(array, index))
                               : fmt::format("{}", integer_element(array, index));
}

std::string first_difference(const Array& have, const Array& want) {
  if (have.type != want.type) {
    return fmt::format("dtype {}, want {}", have.type->name, want.type->name);
  }
  if (have.sizes != want.sizes) {
    const bool scalar = have.sizes.empty() && want.sizes == std::vector<int64_t>{1};
    return fmt::format("sizes {{{}}}, want {{{}}}{}", fmt::join(have.sizes, ", "),
                       fmt::join(want.sizes, ", "),
                       scalar ? " (numpy.ascontiguousarray makes that of a scalar)" : "");
  }
  const auto count = static_cast<int64_t>(want.bytes.size()) / want.type->size;
  const Tolerance allowed = tolerance(*want.type);
  for (int64_t i = 0; i < count; ++i) {
    if (is_float(*want.type)) {
      const double is = float_element(have, i);
      const double should = float_element(want, i);
      if (close(is, should, allowed)) continue;
      return fmt::format("element {} is {}, want {}", index_text(want.sizes, i), is, should);
    }
    const int64_t is = integer_element(have, i);
    const int64_t should = integer_element(want, i);
    if (is == should) continue;
    return fmt::format("element {} is {}, want {}", index_text(want.sizes, i), is, should);
  }
  return "";
}

}  // namespace aoti_cts::blobs
