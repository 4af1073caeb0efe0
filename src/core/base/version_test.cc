// SPDX-License-Identifier: Apache-2.0
#include "calfvo/version.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace calfvo {
namespace {

TEST(Version, IsThatOfTheHeadersAndOfTheProject) {
  EXPECT_EQ(Version(),
            fmt::format("{}.{}.{}", CALFVO_VERSION_MAJOR, CALFVO_VERSION_MINOR, CALFVO_VERSION_PATCH));
  EXPECT_STREQ(Version(), CALFVO_VERSION);
  EXPECT_STREQ(Version(), CALFVO_PROJECT_VERSION);
}

}  // namespace
}  // namespace calfvo
