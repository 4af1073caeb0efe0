// SPDX-License-Identifier: Apache-2.0
#include "core/base/unique_names.h"

#include <gtest/gtest.h>

namespace calfvo {
namespace {

TEST(UniqueNames, NumbersAvoidNamesThatLookNumbered) {
  UniqueNames names;
  EXPECT_EQ(names.TakeNumbered("a"), "a");
  EXPECT_EQ(names.TakeNumbered("a"), "a-2");
  EXPECT_EQ(names.TakeNumbered("a-2"), "a-2-2");
  EXPECT_TRUE(names.Take("a-3"));
  EXPECT_FALSE(names.Take("a-3"));
  EXPECT_EQ(names.TakeNumbered("a"), "a-4");
}

}  // namespace
}  // namespace calfvo
