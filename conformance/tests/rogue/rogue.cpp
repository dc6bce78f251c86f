// A test that no clause has. An executable with this file in it has to refuse its own verdict.
#include <gtest/gtest.h>

TEST(Rogue, test) { EXPECT_TRUE(true); }
