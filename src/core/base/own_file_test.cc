// SPDX-License-Identifier: Apache-2.0
#include "core/base/own_file.h"

#include <gtest/gtest.h>

namespace calfvo {
namespace {

TEST(OwnFile, IsTheProgramThatThisTestIsLinkedInto) {
  EXPECT_EQ(OwnFile().filename(), "base_test");
  EXPECT_TRUE(std::filesystem::equivalent(OwnFile(), "/proc/self/exe"));
}

}  // namespace
}  // namespace calfvo
