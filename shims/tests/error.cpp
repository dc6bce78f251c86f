// build/dev/shims/tests/shims_tests --gtest_filter='Error.*'
//
// Success ends with "[  PASSED  ]". The failure funnel: codes, texts, and whose text it is.
#include "tensor/error.h"

#include <aoti_shim/shim.h>
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <thread>

namespace {

using aoti_reference::Error;
using aoti_reference::guarded;

TEST(Error, funnel_turns_every_throw_into_code_1) {
  EXPECT_EQ(guarded("shim", [] {}), 0);
  EXPECT_EQ(guarded("shim", [] { throw Error("text"); }), 1);
  EXPECT_STREQ(aoti_cts_last_error(), "shim: text");
  EXPECT_EQ(guarded("shim", [] { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(std::string(aoti_cts_last_error()).find("shim: "), 0U);
  EXPECT_EQ(guarded("shim", [] { throw 7; }), 1);
  EXPECT_STREQ(aoti_cts_last_error(), "shim: an exception that is no std::exception");
}

TEST(Error, text_names_argument_value_and_limit) {
  const int64_t sizes[] = {2, -3};
  const int64_t strides[] = {1, 1};
  AtenTensorHandle made = nullptr;
  EXPECT_EQ(aoti_torch_empty_strided(2, sizes, strides, 6, 0, 0, &made), 1);
  EXPECT_STREQ(aoti_cts_last_error(),
               "ref_aoti_torch_empty_strided: sizes_ptr[1] is -3, must be at least 0");
  EXPECT_EQ(made, nullptr);
}

TEST(Error, text_is_per_thread_and_empty_before_a_failure) {
  aoti_torch_clone(nullptr, nullptr);
  std::string other = "unset";
  std::thread([&other] { other = aoti_cts_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(aoti_cts_last_error(), "ref_aoti_torch_clone: ret is null");
}

TEST(Error, long_text_is_cut_and_ended) {
  guarded("shim", [] { throw Error(std::string(10000, 'x')); });
  const std::string text = aoti_cts_last_error();
  EXPECT_GT(text.size(), 100U);
  EXPECT_LT(text.size(), 10000U);
}

}  // namespace
