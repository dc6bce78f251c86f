// Device strings: what is read, what is refused, and that every byte counts.
//
//   shims_tests --gtest_filter='DeviceString.*'
//
// prints "[  PASSED  ] 4 tests."
#include "device/device_string.h"

#include <aoti_device/device_string.h>
#include <gtest/gtest.h>

namespace aoti_reference {
namespace {

Device device(int32_t type, int32_t index) { return {type, index}; }

TEST(DeviceString, reads_the_whole_string) {
  EXPECT_EQ(parse_device("cpu"), device(kCpu, -1));
  EXPECT_EQ(parse_device("cpu:0"), device(kCpu, -1));
  EXPECT_EQ(parse_device("cuda"), device(kCuda, -1));
  for (int32_t index = 0; index <= aoti_device::max_device_index; ++index) {
    EXPECT_EQ(parse_device("cuda:" + std::to_string(index)), device(kCuda, index));
  }
}

TEST(DeviceString, refuses_what_is_no_device) {
  for (const char* text : {"",
                           ":",
                           ":0",
                           "cuda:",
                           "cuda:-1",
                           "cuda:+1",
                           "cuda:1x",
                           "cuda:x1",
                           "cuda: 1",
                           "cuda:1 ",
                           " cuda",
                           "CUDA:0",
                           "Cuda",
                           "cud",
                           "cudaa",
                           "cuda0",
                           "cuda:0:0",
                           "cuda::0",
                           "cuda:01",
                           "cuda:00",
                           "cuda:128",
                           "cuda:255",
                           "cuda:256",
                           "cuda:4294967296",
                           "cuda:0x1",
                           "xpu",
                           "meta",
                           "cpu:1",
                           "cpu:",
                           "cpu:-1",
                           "cuda:99999999999",
                           "cuda:000000000000000000001"}) {
    EXPECT_THROW(parse_device(text), Error) << "'" << text << "'";
  }
}

TEST(DeviceString, a_nul_is_a_character) {
  EXPECT_THROW(parse_device(std::string_view("cuda\0", 5)), Error);
  EXPECT_THROW(parse_device(std::string_view("cuda:1\0", 7)), Error);
}

TEST(DeviceString, the_error_shows_it) {
  try {
    parse_device(
        "cuda:\x01"
        "7");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "device string 'cuda:?7': index is not made of digits");
  }
}

}  // namespace
}  // namespace aoti_reference
