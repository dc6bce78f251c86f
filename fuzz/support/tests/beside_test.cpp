// Where a target looks for the libraries that it opens, and what it calls them.
//
//   ctest -R fuzz.beside      "100% tests passed"
#include "support/beside.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace {

using aoti_cts::fuzz::absolute;
using aoti_cts::fuzz::beside;

TEST(Beside, WhatLiesThereComesFirst) {
  const auto own = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(beside("/nowhere/" + own.filename().string()), own.string());
}

TEST(Beside, ElseItIsWhereItWasBuilt) {
  EXPECT_EQ(beside("/nowhere/libno_such_library.so"), "/nowhere/libno_such_library.so");
}

TEST(Beside, WhatThisBuildLacksStaysLacking) { EXPECT_EQ(beside(""), ""); }

TEST(Absolute, AFileIsFoundFromAnyFolder) {
  const auto own = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(absolute(std::filesystem::relative(own).string()), own.string());
  EXPECT_EQ(absolute("libno_such_library.so"), "libno_such_library.so");
}

}  // namespace
