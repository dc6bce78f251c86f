// build/dev/shims/tests/shims_tests --gtest_filter='Geometry.*'
//
// Success ends with "[  PASSED  ]". Edges of the size and stride arithmetic; overlap is held
// against a plain enumeration of all elements.
#include "tensor/geometry.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace {

using aoti_reference::Error;
using aoti_reference::Geometry;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

using Dims = std::vector<int64_t>;

Geometry geometry(const Dims& sizes, const Dims& strides) {
  return aoti_reference::read_geometry(static_cast<int64_t>(sizes.size()), sizes.data(),
                                       strides.data());
}

TEST(Geometry, checked_arithmetic_at_its_limits) {
  using aoti_reference::checked_add;
  using aoti_reference::checked_mul;
  EXPECT_EQ(checked_add(kMax - 1, 1, "sum"), kMax);
  EXPECT_THROW(checked_add(kMax, 1, "sum"), Error);
  EXPECT_THROW(checked_add(std::numeric_limits<int64_t>::min(), -1, "sum"), Error);
  EXPECT_EQ(checked_mul(int64_t{1} << 31, int64_t{1} << 31, "product"), int64_t{1} << 62);
  EXPECT_THROW(checked_mul(int64_t{1} << 32, int64_t{1} << 31, "product"), Error);
}

TEST(Geometry, reads_scalars_and_refuses_bad_arguments) {
  const Dims one{1};
  EXPECT_EQ(aoti_reference::read_geometry(0, nullptr, nullptr).numel, 1);
  EXPECT_THROW(aoti_reference::read_geometry(-1, one.data(), one.data()), Error);
  EXPECT_THROW(aoti_reference::read_geometry(kMax, one.data(), one.data()), Error);
  EXPECT_THROW(aoti_reference::read_geometry(1, nullptr, one.data()), Error);
  EXPECT_THROW(aoti_reference::read_geometry(1, one.data(), nullptr), Error);
  EXPECT_THROW(geometry({2, -1}, {1, 1}), Error);
  EXPECT_THROW(geometry({2, 1}, {1, -1}), Error);
  EXPECT_THROW(geometry(Dims(65, 1), Dims(65, 1)), Error);
  EXPECT_EQ(geometry(Dims(64, 1), Dims(64, 1)).ndim(), 64U);
}

TEST(Geometry, numel) {
  EXPECT_EQ(geometry({2, 3}, {3, 1}).numel, 6);
  EXPECT_EQ(geometry({0, kMax, kMax}, {1, 1, 1}).numel, 0);
  EXPECT_EQ(geometry({kMax, kMax, 0}, {1, 1, 1}).numel, 0);
  EXPECT_THROW(geometry({int64_t{1} << 32, int64_t{1} << 31}, {0, 0}), Error);
  EXPECT_EQ(geometry({kMax}, {0}).numel, kMax);
}

TEST(Geometry, extent) {
  struct Row {
    Dims sizes, strides;
    int64_t want;
  };
  const Row rows[] = {
      {{}, {}, 1},          {{2, 3}, {3, 1}, 6},  {{2, 3}, {10, 2}, 15},
      {{3, 3}, {0, 0}, 1},  {{0, 5}, {99, 7}, 0}, {{1, 4}, {kMax, 1}, 4},
      {{0}, {kMax}, 0},     {{kMax}, {1}, kMax},  {{2}, {kMax - 1}, kMax},
      {{3, 1}, {2, 99}, 5},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(extent(geometry(row.sizes, row.strides)), row.want);
  }
  EXPECT_THROW(extent(geometry({2}, {kMax})), Error);
  EXPECT_THROW(extent(geometry({3}, {int64_t{1} << 62})), Error);
  EXPECT_THROW(extent(geometry({2, 2}, {int64_t{1} << 62, int64_t{1} << 62})), Error);
}

TEST(Geometry, dense) {
  EXPECT_TRUE(is_dense(geometry({}, {})));
  EXPECT_TRUE(is_dense(geometry({2, 3}, {3, 1})));
  EXPECT_TRUE(is_dense(geometry({2, 3}, {1, 2})));
  EXPECT_TRUE(is_dense(geometry({2, 1, 3}, {1, 77, 2})));
  EXPECT_TRUE(is_dense(geometry({0, 5}, {99, 7})));
  EXPECT_TRUE(is_dense(geometry({1}, {9})));
  EXPECT_FALSE(is_dense(geometry({2, 3}, {8, 1})));
  EXPECT_FALSE(is_dense(geometry({2, 3}, {0, 1})));
  EXPECT_FALSE(is_dense(geometry({4}, {2})));
  EXPECT_FALSE(is_dense(geometry({2, 2}, {1, 1})));
}

// The answers of libtorch 2.15.0, from its observed behaviour.
TEST(Geometry, packed_strides) {
  struct Row {
    Dims sizes, strides, want;
  };
  const Row rows[] = {
      {{2, 3}, {8, 1}, {3, 1}},           {{2, 3}, {0, 1}, {3, 1}}, {{2, 3}, {2, 8}, {1, 2}},
      {{2, 3, 4}, {1, 16, 4}, {1, 8, 2}}, {{4, 8}, {1, 0}, {8, 1}}, {{3, 3}, {0, 0}, {3, 1}},
      {{2, 1, 3}, {6, 1, 2}, {3, 1, 1}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(packed_strides(geometry(row.sizes, row.strides)), row.want);
  }
}

TEST(Geometry, overlap_equals_enumeration) {
  int overlapping = 0;
  for (int64_t code = 0; code < 4 * 4 * 4 * 7 * 7 * 7; ++code) {
    int64_t rest = code;
    const auto digit = [&rest](int64_t base) {
      const int64_t value = rest % base;
      rest /= base;
      return value;
    };
    const Dims sizes{digit(4), digit(4), digit(4)};
    const Dims strides{digit(7), digit(7), digit(7)};
    const Geometry tried = geometry(sizes, strides);
    std::set<int64_t> elements;
    int64_t visited = 0;
    aoti_reference::for_each_index(sizes, strides, strides, [&](int64_t a, int64_t b) {
      EXPECT_EQ(a, b);
      elements.insert(a);
      ++visited;
    });
    ASSERT_EQ(visited, tried.numel);
    const bool want = static_cast<int64_t>(elements.size()) < visited;
    ASSERT_EQ(overlaps_itself(tried), want) << "code " << code;
    ASSERT_EQ(extent(tried), elements.empty() ? 0 : *elements.rbegin() + 1);
    overlapping += want ? 1 : 0;
  }
  EXPECT_GT(overlapping, 1000);
}

TEST(Geometry, walk_is_row_major_over_both_strides) {
  std::vector<std::pair<int64_t, int64_t>> have;
  aoti_reference::for_each_index({2, 2}, {10, 1}, {0, 3},
                                 [&have](int64_t a, int64_t b) { have.emplace_back(a, b); });
  const std::vector<std::pair<int64_t, int64_t>> want{{0, 0}, {1, 3}, {10, 0}, {11, 3}};
  EXPECT_EQ(have, want);
  int scalars = 0;
  aoti_reference::for_each_index({}, {}, {}, [&scalars](int64_t, int64_t) { ++scalars; });
  EXPECT_EQ(scalars, 1);
}

}  // namespace
