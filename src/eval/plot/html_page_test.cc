// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calfvo {
namespace {

using testing::HasSubstr;

// The vectors of RFC 4648, section 10.
TEST(Base64, TestVectors) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foob"), "Zm9vYg==");
  EXPECT_EQ(Base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Base64("\xff\xfe\xfd"), "//79");
}

TEST(HtmlImage, IsInThePage) {
  EXPECT_THAT(HtmlImage("foo", "a < b"), HasSubstr("alt=\"a &lt; b\" src=\"data:image/png;base64,Zm9v\""));
}

}  // namespace
}  // namespace calfvo
