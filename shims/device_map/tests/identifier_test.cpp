// The identifier check.
//
//   device_map_test --gtest_filter='Identifier.*'        [  PASSED  ]
#include "device_map/identifier.h"

#include <gtest/gtest.h>

namespace aoti_cts::device_map {
namespace {

using namespace std::string_view_literals;

TEST(Identifier, accepted) {
  for (const std::string_view text :
       {"CUDA"sv, "_"sv, "_9"sv, "x1"sv, "PrivateUse1"sv, "class"sv, "\xC3\x89"sv /* U+00C9 */,
        "a\xC2\xB7"sv /* U+00B7 */, "\xE6\x97\xA5"sv /* U+65E5 */,
        "\xF0\x90\x8C\xB0"sv /* U+10330 */}) {
    EXPECT_FALSE(identifier_fault(text).has_value()) << text;
  }
  EXPECT_FALSE(identifier_fault(std::string(1 << 20, 'a')).has_value());
}

struct Refused {
  std::string_view text;
  std::size_t offset;
  const char* reason;
};

TEST(Identifier, refused) {
  const Refused rows[] = {
      {"", 0, "it is empty"},
      {"9", 0, "U+0039 cannot start an identifier"},
      {"Foo; bar", 3, "U+003B cannot stand in an identifier"},
      {"Foo\n", 3, "U+000A cannot stand in an identifier"},
      {"Foo\0"sv, 3, "U+0000 cannot stand in an identifier"},
      {"\xC2\xB7", 0, "U+00B7 cannot start an identifier"},
      {"\xC2\xB2", 0, "U+00B2 cannot start an identifier"},           // superscript two
      {"\xF0\x9F\x98\x80", 0, "U+1F600 cannot start an identifier"},  // an emoji
      {"a\xE2\x80\x8B", 1, "U+200B cannot stand in an identifier"},   // zero-width space
      // What is no UTF-8: a lone continuation, a cut sequence, overlong '/', a surrogate, beyond.
      {"a\x80", 1, "it is not UTF-8"},
      {"a\xC3", 1, "it is not UTF-8"},
      {"a\xC3z", 1, "it is not UTF-8"},
      {"\xC0\xAF", 0, "it is not UTF-8"},
      {"\xE0\x80\xAF", 0, "it is not UTF-8"},
      {"\xED\xA0\x80", 0, "it is not UTF-8"},
      {"\xF4\x90\x80\x80", 0, "it is not UTF-8"},
      {"\xFF", 0, "it is not UTF-8"},
  };
  for (const Refused& row : rows) {
    const auto have = identifier_fault(row.text);
    ASSERT_TRUE(have.has_value()) << row.text;
    EXPECT_EQ(have->offset, row.offset) << row.text;
    EXPECT_EQ(have->reason, row.reason) << row.text;
  }
}

}  // namespace
}  // namespace aoti_cts::device_map
