// Real at::Tensors over devices that this machine need not have: where a device stands in ATen, all
// three places agree, with memory and without, and go on agreeing when other memory is bound.
//
//   ctest -R program.aten      "100% tests passed" (or SKIPPED, with the reason, where torch cannot
//   be had)
#include "program/aten/aten.h"

#include <ATen/ops/empty.h>
#include <c10/core/TensorOptions.h>
#include <gtest/gtest.h>

namespace aoti_cts::program {
namespace {

struct Row {
  const char* name;
  Device device;
  at::Device want;
  bool planned;
};

const Row rows[] = {
    {"cpu_null", {0, -1}, at::Device(at::kCPU), false},
    {"cpu_planned", {0, -1}, at::Device(at::kCPU), true},
    {"cuda_0_null", {1, 0}, at::Device(at::kCUDA, 0), false},
    {"cuda_0_planned", {1, 0}, at::Device(at::kCUDA, 0), true},
    {"cuda_3_null", {1, 3}, at::Device(at::kCUDA, 3), false},
    {"cuda_3_planned", {1, 3}, at::Device(at::kCUDA, 3), true},
};

/// A program of one float tensor of shape 2x3.
Program one_tensor(Device device) {
  Program program;
  Tensor tensor;
  tensor.scalar_type = 6;
  tensor.rank = 2;
  tensor.device = device;
  tensor.bytes = 24;
  program.sizes = {2, 3};
  program.dim_order = {0, 1};
  program.strides = {3, 1};
  program.tensors.push_back(tensor);
  return program;
}

void* address_nobody_may_touch() { return reinterpret_cast<void*>(uintptr_t{0x7f00'dead'0000}); }

void expect_on(const at::Tensor& tensor, at::Device want) {
  EXPECT_EQ(tensor.device(), want);
  EXPECT_EQ(tensor.storage().device(), want);
  EXPECT_EQ(tensor.storage().data_ptr().device(), want);
  EXPECT_EQ(c10::dispatchKeyToDeviceType(c10::legacyExtractDispatchKey(tensor.key_set())),
            want.type());
}

class Aten : public ::testing::TestWithParam<Row> {};

TEST_P(Aten, PlacesAgree) {
  const Row& row = GetParam();
  const Program program = one_tensor(row.device);
  void* const data = row.planned ? address_nobody_may_touch() : nullptr;
  const at::Tensor tensor = make_tensor(program, program.tensors[0], data);
  expect_on(tensor, row.want);
  EXPECT_EQ(tensor.storage().mutable_data(), data);
  EXPECT_EQ(tensor.sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(tensor.strides(), at::IntArrayRef({3, 1}));
}

TEST_P(Aten, SetDataKeepsTheDevice) {
  const Row& row = GetParam();
  const Program program = one_tensor(row.device);
  const at::Tensor tensor =
      make_tensor(program, program.tensors[0], row.planned ? address_nobody_may_touch() : nullptr);
  char* const other = static_cast<char*>(address_nobody_may_touch()) + 4096;
  for (char* data : {other, other + 64}) {
    set_data(tensor, data);
    expect_on(tensor, row.want);
    EXPECT_EQ(tensor.storage().mutable_data(), data);
  }
}

INSTANTIATE_TEST_SUITE_P(, Aten, ::testing::ValuesIn(rows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(AtenCpu, EqualsADefaultTensorsDevice) {
  const Program program = one_tensor({0, -1});
  const at::Tensor tensor = make_tensor(program, program.tensors[0], nullptr);
  EXPECT_FALSE(tensor.device().has_index());
  EXPECT_EQ(tensor.device(), at::empty({1}).device());
}

// The trap that set_data() avoids, shown: otherwise a test above could not fail.
TEST(AtenCpu, TheNaiveWayLosesTheDevice) {
  const Program program = one_tensor({1, 0});
  const at::Tensor tensor = make_tensor(program, program.tensors[0], nullptr);
  tensor.storage().unsafeGetStorageImpl()->set_data_ptr_noswap(
      at::DataPtr(address_nobody_may_touch(), at::kCPU));
  EXPECT_EQ(tensor.device(), at::Device(at::kCUDA, 0));
  EXPECT_EQ(tensor.storage().device(), at::Device(at::kCPU));
}

TEST(AtenCpu, ATensorWithoutABoundGrows) {
  Program program = one_tensor({0, -1});
  program.tensors[0].dynamism = Dynamism::unbounded;
  const at::Tensor tensor = make_tensor(program, program.tensors[0], nullptr);
  EXPECT_EQ(tensor.numel(), 0);
  tensor.resize_({4, 5});
  EXPECT_EQ(tensor.numel(), 20);
  EXPECT_EQ(tensor.fill_(2).sum().item<float>(), 40);
}

}  // namespace
}  // namespace aoti_cts::program
