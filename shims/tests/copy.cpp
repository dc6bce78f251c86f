// build/dev/shims/tests/shims_tests --gtest_filter='Copy.*'
//
// Success ends with "[  PASSED  ]". Copies through strides, broadcasts, overlaps and misaligned
// memory; what is refused leaves its destination as it was.
#include "tensor/copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace {

using aoti_reference::DType;
using aoti_reference::Error;
using aoti_reference::Geometry;
using aoti_reference::Tensor;
using Dims = std::vector<int64_t>;

Geometry geometry(const Dims& sizes, const Dims& strides) {
  return aoti_reference::read_geometry(static_cast<int64_t>(sizes.size()), sizes.data(),
                                       strides.data());
}

std::unique_ptr<Tensor> on(void* memory, const Dims& sizes, const Dims& strides, int64_t offset = 0,
                           DType dtype = DType::int32) {
  return aoti_reference::make_from_blob(memory, geometry(sizes, strides), offset, dtype, {});
}

std::vector<int32_t> counted(std::size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Copy, by_logical_index_through_any_strides) {
  auto from = counted(6);
  std::vector<int32_t> to(12, 0);
  copy(*on(to.data(), {2, 3}, {1, 4}, 1), *on(from.data(), {2, 3}, {3, 1}));
  EXPECT_EQ(to, (std::vector<int32_t>{0, 1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0}));
}

TEST(Copy, broadcasts_and_refuses_what_does_not) {
  auto from = counted(8);
  std::vector<int32_t> to(32, 0);
  copy(*on(to.data(), {4, 8}, {8, 1}), *on(from.data(), {8}, {1}));
  EXPECT_EQ(to[31], 8);
  const auto kept = to;
  EXPECT_THROW(copy(*on(to.data(), {4, 8}, {8, 1}), *on(from.data(), {3}, {1})), Error);
  EXPECT_THROW(copy(*on(to.data(), {4, 8}, {8, 1}), *on(from.data(), {8, 4}, {0, 1})), Error);
  EXPECT_THROW(copy(*on(to.data(), {4}, {1}), *on(from.data(), {1, 1, 4}, {4, 4, 1})), Error);
  EXPECT_EQ(to, kept);
  copy(*on(to.data(), {0}, {1}), *on(from.data(), {1}, {1}));
  EXPECT_EQ(to, kept);
}

TEST(Copy, converts_and_names_dtypes_that_do_not) {
  float from[] = {1.5F, -2.5F};
  int32_t to[] = {7, 7};
  copy(*on(to, {2}, {1}), *on(from, {2}, {1}, 0, DType::float32));
  EXPECT_EQ(to[0], 1);
  EXPECT_EQ(to[1], -2);
  std::byte complex[16] = {};
  try {
    copy(*on(to, {2}, {1}), *on(complex, {2}, {1}, 0, DType::complex64));
    FAIL() << "complex64 to int32 was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "dtype of src is complex64, which does not convert to int32");
  }
  EXPECT_EQ(to[1], -2);
}

TEST(Copy, overlap_is_judged_by_element) {
  auto memory = counted(12);
  const auto before = memory;
  copy(*on(memory.data(), {4}, {1}), *on(memory.data(), {4}, {1}));
  EXPECT_THROW(copy(*on(memory.data(), {4}, {1}, 1), *on(memory.data(), {4}, {1})), Error);
  EXPECT_THROW(copy(*on(memory.data(), {2, 2}, {1, 2}), *on(memory.data(), {2, 2}, {2, 1})), Error);
  auto source = counted(4);
  EXPECT_THROW(copy(*on(memory.data(), {4}, {0}), *on(source.data(), {4}, {1})), Error);
  EXPECT_THROW(copy(*on(memory.data(), {2, 2}, {1, 1}), *on(source.data(), {2, 2}, {2, 1})), Error);
  EXPECT_EQ(memory, before);
  // Odd elements into even ones: the spans interleave, no element is shared.
  copy(*on(memory.data(), {6}, {2}), *on(memory.data(), {6}, {2}, 1));
  EXPECT_EQ(memory, (std::vector<int32_t>{2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12}));
}

TEST(Copy, misaligned_memory) {
  std::vector<std::byte> raw(64);
  std::byte* const odd = raw.data() + 1;
  auto from = counted(4);
  copy(*on(odd, {2, 2}, {1, 2}), *on(from.data(), {2, 2}, {2, 1}));
  int32_t have[4];
  std::memcpy(have, odd, sizeof have);
  EXPECT_EQ(have[1], 3);
  EXPECT_EQ(have[2], 2);
}

TEST(Copy, clone_keeps_dense_strides_and_packs_the_rest) {
  auto memory = counted(16);
  const auto kept = clone(*on(memory.data(), {2, 3}, {1, 2}, 4));
  EXPECT_EQ(kept->geometry().strides, (Dims{1, 2}));
  EXPECT_EQ(kept->offset(), 0);
  EXPECT_EQ(kept->storage()->bytes(), 24);
  EXPECT_EQ(std::memcmp(kept->data(), memory.data() + 4, 24), 0);
  const auto packed = clone(*on(memory.data(), {2, 3}, {8, 1}));
  EXPECT_EQ(packed->geometry().strides, (Dims{3, 1}));
  const int32_t want[] = {1, 2, 3, 9, 10, 11};
  EXPECT_EQ(std::memcmp(packed->data(), want, sizeof want), 0);
}

TEST(Copy, clone_preserve_strides_copies_the_whole_span) {
  auto memory = counted(16);
  const auto gapped = clone_preserve_strides(*on(memory.data(), {2, 3}, {8, 1}, 2));
  EXPECT_EQ(gapped->geometry().strides, (Dims{8, 1}));
  EXPECT_EQ(gapped->storage()->bytes(), 44);
  EXPECT_EQ(std::memcmp(gapped->data(), memory.data() + 2, 44), 0);
  const auto expanded = clone_preserve_strides(*on(memory.data(), {2, 3}, {0, 1}));
  EXPECT_EQ(expanded->storage()->bytes(), 12);
  EXPECT_EQ(clone_preserve_strides(*on(nullptr, {0, 3}, {3, 1}))->storage()->bytes(), 0);
}

TEST(Copy, item_bool) {
  bool flags[] = {false, true};
  EXPECT_TRUE(item_bool(*on(flags, {}, {}, 1, DType::boolean)));
  EXPECT_FALSE(item_bool(*on(flags, {1, 1}, {5, 5}, 0, DType::boolean)));
  EXPECT_THROW(item_bool(*on(flags, {2}, {1}, 0, DType::boolean)), Error);
  EXPECT_THROW(item_bool(*on(flags, {0}, {1}, 0, DType::boolean)), Error);
}

}  // namespace
