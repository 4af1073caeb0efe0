// SPDX-License-Identifier: Apache-2.0
#include "core/base/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(LineReader, FindsLinesAcrossBufferEnds) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + (i % 3 == 0 ? "\r\n" : "\n");
  std::istringstream stream(text);
  LineReader reader(stream, "file");
  for (int i = 0; i < 200'000; ++i) {
    if (i % 7 == 0) {
      ASSERT_EQ(reader.Peek(), std::to_string(i));
    }
    ASSERT_EQ(reader.Next(), std::to_string(i));
  }
  EXPECT_EQ(reader.Next().data(), nullptr);
  EXPECT_EQ(reader.Next().data(), nullptr);
}

TEST(LineReader, RefusesLinesWithoutEnd) {
  for (const size_t length : {LineReader::kMaxLineLength + 1, 10 * LineReader::kMaxLineLength}) {
    std::istringstream stream("short\n" + std::string(length, 'x'));
    LineReader reader(stream, "file");
    EXPECT_EQ(reader.Next(), "short");
    EXPECT_THAT(ErrorFrom([&] { reader.Next(); }), HasSubstr("file:2: line of "));
  }
  std::istringstream stream(std::string(LineReader::kMaxLineLength, 'x'));
  LineReader reader(stream, "file");
  EXPECT_EQ(reader.Next().size(), LineReader::kMaxLineLength);
}

TEST(LineReader, RefusesStreamsThatFailed) {
  std::ifstream missing("no/such/file");
  EXPECT_EQ(ErrorFrom([&] { LineReader(missing, "file").Next(); }), "file: cannot read");
  std::istringstream failed("line\n");
  failed.setstate(std::ios::failbit);
  EXPECT_EQ(ErrorFrom([&] { LineReader(failed, "file").Next(); }), "file: cannot read");
}

TEST(FieldReader, ShowsHostileFieldsSafely) {
  std::istringstream stream("\x1b[31m" + std::string(100, 'A') + "\n");
  LineReader reader(stream, "file");
  FieldReader fields(reader, reader.Next(), ' ', "number");
  EXPECT_THAT(ErrorFrom([&] { fields.Number(); }),
              HasSubstr("field 1 '\\x1b[31m" + std::string(75, 'A') + "…' is not"));
}

TEST(CountFields, BothSeparators) {
  EXPECT_EQ(CountFields("", ' '), 0);
  EXPECT_EQ(CountFields("  ", ' '), 0);
  EXPECT_EQ(CountFields(" a\tb  c ", ' '), 3);
  EXPECT_EQ(CountFields("a,,c", ','), 3);
}

}  // namespace
}  // namespace calfvo
