// SPDX-License-Identifier: Apache-2.0
#include "core/base/own_file.h"

#include <gtest/gtest.h>

namespace calfvo {
namespace {

TEST(OwnFile, IsTheProgramThatThisTestIsLinkedInto) {
  EXPECT_EQ(OwnFile().filename(), "base_test");
  EXPECT_EQ(OwnFile(), std::filesystem::read_symlink("/proc/self/exe"));
}

}  // namespace
}  // namespace calfvo
