// SPDX-License-Identifier: Apache-2.0
#include "plot/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace calfvo {
namespace {

using testing::ElementsAre;

std::vector<uint32_t> Characters(std::string_view text) {
  std::vector<uint32_t> codes;
  while (!text.empty()) codes.push_back(TakeCharacter(text));
  return codes;
}

TEST(Utf8, CharactersOfEveryLength) {
  EXPECT_THAT(Characters("a\u00e9\u20ac\U0001f600z"), ElementsAre('a', 0xE9, 0x20AC, 0x1F600, 'z'));
  EXPECT_THAT(Characters("\x7f\u0080\u07ff\u0800\U0010ffff"),
              ElementsAre(0x7F, 0x80, 0x7FF, 0x800, 0x10FFFF));
}

TEST(Utf8, WhatIsNoneCountsByBytes) {
  constexpr uint32_t kBad = kReplacementCharacter;
  EXPECT_THAT(Characters("caf\xe9.mp"), ElementsAre('c', 'a', 'f', kBad, '.', 'm', 'p'));
  EXPECT_THAT(Characters("\xc3"), ElementsAre(kBad));                        // cut off
  EXPECT_THAT(Characters("\x80z"), ElementsAre(kBad, 'z'));                  // a continuation of nothing
  EXPECT_THAT(Characters("\xc0\xaf"), ElementsAre(kBad, kBad));              // overlong
  EXPECT_THAT(Characters("\xed\xa0\x80"), ElementsAre(kBad, kBad, kBad));    // a surrogate
  EXPECT_THAT(Characters("\xf4\x90\x80\x80"), testing::Each(kBad));          // over the last character
  EXPECT_THAT(Characters("\xf8\x88\x80\x80\x80\xff"), testing::Each(kBad));  // of no length there is
}

}  // namespace
}  // namespace calfvo
