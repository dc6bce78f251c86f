// build/dev/shims/tests/shims_tests --gtest_filter='Tensor.*'
//
// Success ends with "[  PASSED  ]". Life of storages and tensors, from one thread and from many
// (run under ThreadSanitizer too), and the limits of blobs, views and allocations.
#include "tensor/tensor.h"

#include <aoti_shim/shim.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

using aoti_reference::DType;
using aoti_reference::Error;
using aoti_reference::Geometry;
using Dims = std::vector<int64_t>;

constexpr int64_t kMax = INT64_MAX;

Geometry geometry(const Dims& sizes, const Dims& strides) {
  return aoti_reference::read_geometry(static_cast<int64_t>(sizes.size()), sizes.data(),
                                       strides.data());
}

class Tensor : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(aoti_cts_live_handles(), 0);
    EXPECT_EQ(aoti_cts_live_storages(), 0);
  }
};

TEST_F(Tensor, storage_lives_until_the_last_view_goes) {
  auto base = make_empty(geometry({8}, {1}), DType::float32, {});
  auto view = make_view(*base, geometry({4}, {1}), 2);
  auto view_of_view = make_view(*view, geometry({2}, {1}), 1);
  EXPECT_EQ(view_of_view->offset(), 3);
  EXPECT_EQ(view_of_view->data(), base->data() + 12);
  base.reset();
  view.reset();
  EXPECT_EQ(aoti_cts_live_storages(), 1);
  *reinterpret_cast<float*>(view_of_view->data()) = 1;
}

TEST_F(Tensor, view_limits) {
  auto base = make_empty(geometry({8}, {1}), DType::int64, {});
  EXPECT_NO_THROW(make_view(*base, geometry({1}, {1}), 7));
  EXPECT_THROW(make_view(*base, geometry({1}, {1}), 8), Error);
  EXPECT_THROW(make_view(*base, geometry({9}, {1}), 0), Error);
  EXPECT_THROW(make_view(*base, geometry({2, 2}, {1, 7}), 0), Error);
  EXPECT_THROW(make_view(*base, geometry({1}, {1}), -1), Error);
  EXPECT_THROW(make_view(*base, geometry({1}, {1}), kMax), Error);
  EXPECT_THROW(make_view(*base, geometry({2}, {kMax}), 0), Error);
  EXPECT_NO_THROW(make_view(*base, geometry({0}, {1}), 9));
  auto inner = make_view(*base, geometry({1}, {1}), 5);
  EXPECT_EQ(make_view(*inner, geometry({1}, {1}), -5)->offset(), 0);
  EXPECT_THROW(make_view(*inner, geometry({0}, {1}), -6), Error);
  EXPECT_THROW(make_view(*inner, geometry({0}, {1}), kMax), Error);
  auto empty = make_empty(geometry({0}, {1}), DType::int64, {});
  EXPECT_NO_THROW(make_view(*empty, geometry({3, 0}, {1, 1}), 0));
  EXPECT_THROW(make_view(*empty, geometry({}, {}), 0), Error);
}

TEST_F(Tensor, blob_limits) {
  float data[16] = {};
  auto blob = make_from_blob(data, geometry({2, 3}, {3, 1}), 5, DType::float32, {});
  EXPECT_EQ(blob->storage()->bytes(), 44);
  EXPECT_EQ(static_cast<void*>(blob->data()), data + 5);
  EXPECT_THROW(make_from_blob(data, geometry({1}, {1}), -1, DType::float32, {}), Error);
  EXPECT_THROW(make_from_blob(data, geometry({1}, {1}), kMax, DType::float32, {}), Error);
  EXPECT_THROW(make_from_blob(data, geometry({1}, {1}), kMax / 4, DType::float32, {}), Error);
  EXPECT_THROW(make_from_blob(nullptr, geometry({1}, {1}), 0, DType::float32, {}), Error);
  auto nothing = make_from_blob(nullptr, geometry({0, 3}, {3, 1}), 5, DType::float32, {});
  EXPECT_EQ(nothing->storage()->bytes(), 20);
  EXPECT_EQ(nothing->data(), nullptr);
  EXPECT_THROW(make_view(*nothing, geometry({1}, {1}), -5), Error);
}

TEST_F(Tensor, allocation_beyond_the_machine_is_refused_and_leaves_nothing) {
  for (const int64_t size : {int64_t{1} << 45, int64_t{1} << 60, kMax}) {
    EXPECT_THROW(make_empty(geometry({size}, {1}), DType::uint8, {}), Error);
    EXPECT_THROW(make_empty_pinned(geometry({size}, {1}), DType::uint8), Error);
  }
  EXPECT_EQ(aoti_cts_live_storages(), 0);
}

TEST_F(Tensor, memory_is_aligned_to_64_bytes) {
  for (int64_t size = 1; size < 200; size += 13) {
    const auto tensor = make_empty(geometry({size}, {1}), DType::uint8, {});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor->data()) % 64, 0U);
  }
}

TEST_F(Tensor, arrays_of_a_scalar_are_not_null) {
  AtenTensorHandle scalar = nullptr;
  int64_t* sizes = nullptr;
  ASSERT_EQ(aoti_torch_empty_strided(0, nullptr, nullptr, 6, 0, -1, &scalar), 0);
  EXPECT_EQ(aoti_torch_get_sizes(scalar, &sizes), 0);
  EXPECT_NE(sizes, nullptr);
  aoti_torch_delete_tensor_object(scalar);
}

// Every thread makes and ends handles on one storage, and the last one out frees it: once, and seen
// by whoever looks after the join.
TEST_F(Tensor, one_storage_from_many_threads) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 500;
  const int64_t size = 64;
  const int64_t stride = 1;
  AtenTensorHandle base = nullptr;
  ASSERT_EQ(aoti_torch_empty_strided(1, &size, &stride, 6, 0, -1, &base), 0);
  std::vector<AtenTensorHandle> own(kThreads);
  for (AtenTensorHandle& handle : own) ASSERT_EQ(aoti_torch_new_tensor_handle(base, &handle), 0);
  aoti_torch_delete_tensor_object(base);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&own, id] {
      AtenTensorHandle self = own[static_cast<std::size_t>(id)];
      for (int round = 0; round < kRounds; ++round) {
        const int64_t eight = 8;
        const int64_t one = 1;
        AtenTensorHandle view = nullptr;
        if (aoti_torch__reinterpret_tensor(self, 1, &eight, &one, 8 * id, &view) != 0) return;
        void* data = nullptr;
        aoti_torch_get_data_ptr(view, &data);
        static_cast<float*>(data)[round % 8] = static_cast<float>(round);
        AtenTensorHandle copy = nullptr;
        aoti_torch_clone(view, &copy);
        aoti_torch_delete_tensor_object(copy);
        aoti_torch_delete_tensor_object(view);
      }
      aoti_torch_delete_tensor_object(self);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(aoti_cts_live_storages(), 0);
}

TEST_F(Tensor, grad_mode_is_per_thread_and_starts_enabled) {
  aoti_torch_grad_mode_set_enabled(false);
  bool fresh = false;
  std::thread([&fresh] { fresh = aoti_torch_grad_mode_is_enabled(); }).join();
  EXPECT_TRUE(fresh);
  EXPECT_FALSE(aoti_torch_grad_mode_is_enabled());
  aoti_torch_grad_mode_set_enabled(true);
  EXPECT_TRUE(aoti_torch_grad_mode_is_enabled());
}

TEST_F(Tensor, check_throws_with_file_line_and_message) {
  EXPECT_NO_THROW(aoti_torch_check(true, "func", "file.cpp", 12, "message"));
  try {
    aoti_torch_check(false, "func", "file.cpp", 12, "message");
    FAIL() << "a failed check returned";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "check failed: file.cpp:12: func: message");
  }
}

}  // namespace
