// build/dev/shims/tests/shims_tests --gtest_filter='Convert.*'
//
// Success ends with "[  PASSED  ]". Element conversion. Half and bfloat16 are tested exhaustively:
// each value against the definition of its format, and the rounding at each midpoint between
// neighbours, where a wrong rule shows.
#include "tensor/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <vector>

namespace {

using aoti_reference::DType;

constexpr float kInf = std::numeric_limits<float>::infinity();

// The value of sign, exponent and fraction fields by the formats' common definition.
double value_of(uint32_t bits, int exponent_bits, int fraction_bits) {
  const auto fraction = static_cast<double>(bits & ((1U << fraction_bits) - 1));
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1U << exponent_bits) - 1));
  const double sign = ((bits >> (exponent_bits + fraction_bits)) & 1U) != 0 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * static_cast<double>(kInf) : std::nan("");
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(1 + std::ldexp(fraction, -fraction_bits), exponent - bias);
}

struct Format {
  const char* name;
  int exponent_bits, fraction_bits;
  float (*widen)(uint16_t);
  uint16_t (*narrow)(float);
};

// Names the parameter in the test list, where GoogleTest would print its bytes.
void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

class Convert : public testing::TestWithParam<Format> {};

TEST_P(Convert, every_value_widens_to_its_definition_and_back) {
  const Format& format = GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float have = format.widen(static_cast<uint16_t>(bits));
    const double want = value_of(bits, format.exponent_bits, format.fraction_bits);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(have)) << bits;
      ASSERT_TRUE(std::isnan(format.widen(format.narrow(have)))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(have), want) << bits;
    ASSERT_EQ(std::signbit(have), std::signbit(want)) << bits;
    ASSERT_EQ(format.narrow(have), bits);
  }
}

TEST_P(Convert, midpoints_round_to_even_and_their_neighbours_to_the_nearest) {
  const Format& format = GetParam();
  const uint32_t infinity = ((1U << format.exponent_bits) - 1) << format.fraction_bits;
  for (uint32_t low = 0; low < infinity; ++low) {
    const double below = value_of(low, format.exponent_bits, format.fraction_bits);
    // Beyond the largest value the grid goes on in thought, and its next point is infinity.
    const double unit = low + 1 == infinity
                            ? below - value_of(low - 1, format.exponent_bits, format.fraction_bits)
                            : value_of(low + 1, format.exponent_bits, format.fraction_bits) - below;
    const auto middle = static_cast<float>(below + unit / 2);
    const uint32_t even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(format.narrow(middle), even) << low;
    ASSERT_EQ(format.narrow(std::nextafter(middle, 0.0F)), low) << low;
    ASSERT_EQ(format.narrow(std::nextafter(middle, kInf)), low + 1) << low;
    ASSERT_EQ(format.narrow(-middle), even | 0x8000U) << low;
  }
  EXPECT_EQ(format.narrow(kInf), infinity);
  EXPECT_EQ(format.narrow(-kInf), infinity | 0x8000U);
  EXPECT_EQ(format.narrow(std::numeric_limits<float>::denorm_min()), 0);
}

INSTANTIATE_TEST_SUITE_P(Formats, Convert,
                         testing::Values(Format{"half", 5, 10, aoti_reference::half_to_float,
                                                aoti_reference::float_to_half},
                                         Format{"bfloat16", 8, 7, aoti_reference::bfloat16_to_float,
                                                aoti_reference::float_to_bfloat16}),
                         [](const auto& info) { return std::string(info.param.name); });

template <class To, class From>
To converted(From value, DType from, DType to) {
  std::byte in[sizeof(From)];
  std::byte out[sizeof(To)];
  std::memcpy(in, &value, sizeof value);
  writer_of(to)(out, reader_of(from)(in));
  To result;
  std::memcpy(&result, out, sizeof result);
  return result;
}

TEST(ConvertElement, real_to_integer_truncates_and_never_leaves_the_type) {
  const auto to_i32 = [](float value) {
    return converted<int32_t>(value, DType::float32, DType::int32);
  };
  EXPECT_EQ(to_i32(2.9F), 2);
  EXPECT_EQ(to_i32(-2.9F), -2);
  EXPECT_EQ(to_i32(3e9F), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(to_i32(-kInf), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(to_i32(std::nanf("")), 0);
  EXPECT_EQ(converted<uint8_t>(-0.9, DType::float64, DType::uint8), 0);
  EXPECT_EQ(converted<uint8_t>(255.9, DType::float64, DType::uint8), 255);
  EXPECT_EQ(converted<int8_t>(-128.9, DType::float64, DType::int8), -128);
  EXPECT_EQ(converted<int64_t>(9.3e18, DType::float64, DType::int64),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(converted<uint64_t>(1.8e19, DType::float64, DType::uint64), 18000000000000000000U);
}

TEST(ConvertElement, integers_wrap_and_keep_all_64_bits) {
  EXPECT_EQ(converted<int8_t>(int32_t{300}, DType::int32, DType::int8), 44);
  EXPECT_EQ(converted<int64_t>(int8_t{-1}, DType::int8, DType::int64), -1);
  EXPECT_EQ(converted<int64_t>(uint8_t{255}, DType::uint8, DType::int64), 255);
  const int64_t odd = (int64_t{1} << 53) + 1;
  EXPECT_EQ(converted<int64_t>(odd, DType::int64, DType::int64), odd);
  EXPECT_EQ(converted<uint64_t>(odd, DType::int64, DType::uint64), static_cast<uint64_t>(odd));
  EXPECT_EQ(converted<float>(int64_t{16777217}, DType::int64, DType::float32), 16777216.0F);
}

TEST(ConvertElement, everything_but_zero_is_true) {
  const auto of = [](float value) {
    return converted<uint8_t>(value, DType::float32, DType::boolean);
  };
  EXPECT_EQ(of(0.0F), 0);
  EXPECT_EQ(of(-0.0F), 0);
  EXPECT_EQ(of(0.25F), 1);
  EXPECT_EQ(of(std::nanf("")), 1);
  EXPECT_EQ(converted<uint8_t>(int64_t{1} << 40, DType::int64, DType::boolean), 1);
  EXPECT_EQ(converted<uint8_t>(uint64_t{1} << 63, DType::uint64, DType::boolean), 1);
  EXPECT_EQ(converted<float>(uint8_t{2}, DType::boolean, DType::float32), 1.0F);
}

TEST(ConvertElement, complex_and_8_bit_floats_have_no_conversion) {
  for (const DType dtype : {DType::complex32, DType::complex64, DType::complex128,
                            DType::float8_e5m2, DType::float4_e2m1fn_x2}) {
    EXPECT_EQ(reader_of(dtype), nullptr);
    EXPECT_EQ(writer_of(dtype), nullptr);
  }
}

}  // namespace
