// SPDX-License-Identifier: Apache-2.0
#include "core/base/quoted.h"

#include <gtest/gtest.h>

namespace calfvo {
namespace {

using std::string_literals::operator""s;

TEST(Printable, KeepsPrintableText) {
  for (const char* text : {"", "room/video.mp4", "Straße 7", "日本語", "🚲", "\xc2\xa0", "\\x1b", "'\"<>&"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(Printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(Printable("a\nerror: b\r\tc"), "a\\x0aerror: b\\x0d\\x09c");
  EXPECT_EQ(Printable("\0\x1f\x7f"s), "\\x00\\x1f\\x7f");
  EXPECT_EQ(Printable("\xc2\x80|\xc2\x9b|\xc2\x9f"), "\\xc2\\x80|\\xc2\\x9b|\\xc2\\x9f");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("\x9b"
                      "31m"),
            "\\x9b31m");                                    // a continuation byte, the C1 control CSI
  EXPECT_EQ(Printable("\xc3"), "\\xc3");                    // cut short
  EXPECT_EQ(Printable("\xe6\x97z"), "\\xe6\\x97z");         // cut short by a letter
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");           // overlong ESC
  EXPECT_EQ(Printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // overlong
  EXPECT_EQ(Printable("\xf0\x80\x80\x9b"), "\\xf0\\x80\\x80\\x9b");  // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(Printable("\xff\xfe"), "\\xff\\xfe");
}

TEST(Printable, NeverLeavesAControlCharacter) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = Printable(std::string{static_cast<char>(first), static_cast<char>(second)});
      for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        EXPECT_TRUE(byte >= 0x20 && byte != 0x7f) << first << ' ' << second;
        EXPECT_FALSE(byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0)
            << first << ' ' << second;
      }
      EXPECT_EQ(Printable(text), text);
    }
  }
}

TEST(PrintableLines, KeepsNewlines) {
  EXPECT_EQ(PrintableLines("{\n \x1b\r\xc2\x9b\n}\n"), "{\n \\x1b\\x0d\\xc2\\x9b\n}\n");
}

TEST(Quoted, EscapesAndCutsText) {
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("Straße\n"), "'Straße\\x0a'");
  EXPECT_EQ(Quoted(std::string(80, 'a')), "'" + std::string(80, 'a') + "'");
  EXPECT_EQ(Quoted(std::string(81, 'a')), "'" + std::string(80, 'a') + "…'");
  EXPECT_EQ(Quoted(std::string(79, 'a') + "ß"), "'" + std::string(79, 'a') + "…'");
  EXPECT_EQ(Quoted(std::string(100, '\xbf')).size(), 2 + 4 * 76 + 3);
}

}  // namespace
}  // namespace calfvo
