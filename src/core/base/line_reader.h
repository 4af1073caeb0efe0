// SPDX-License-Identifier: Apache-2.0
// Lines and fields of trajectory text files.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

// Yields the data lines of a text stream: blank lines and lines starting with '#' are skipped, CRLF and a
// missing last newline make no difference. Memory is bounded: a line over kMaxLineLength is an error.
class LineReader {
 public:
  static constexpr size_t kMaxLineLength = 64 << 10;

  // `name` stands for the file in messages.
  LineReader(std::istream& stream, std::string name);

  // The next data line, or a view with null data() at the end. Valid until the following Next.
  std::string_view Next();

  // What Next will return, without moving on.
  std::string_view Peek();

  // Throws Error "name:line: message" for the line last returned.
  [[noreturn]] void Fail(std::string_view message) const;

 private:
  bool NextRawLine(std::string_view* line);

  std::istream& stream_;
  const std::string name_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // unread part of buffer_
  size_t end_ = 0;
  int64_t line_number_ = 0;
  std::string_view peeked_;
  bool has_peeked_ = false;
};

// Takes the fields of one line, left to right. `layout` is how a whole line should look, for messages.
class FieldReader {
 public:
  // `separator` is ' ' for runs of spaces and tabs, or ','.
  FieldReader(const LineReader& reader, std::string_view line, char separator, std::string_view layout)
      : reader_(reader), rest_(line), separator_(separator), layout_(layout) {}

  // The next field, without the blanks around it; fails if there is none.
  std::string_view Text();

  // The next field as a finite number, or as one that may be infinite or NaN.
  double Number();
  double AnyNumber();

  // The next field as seconds (or nanoseconds), in nanoseconds, exact to the last digit.
  int64_t Seconds();
  int64_t Nanoseconds();

  // Fails if fields are left.
  void ExpectEnd();

 private:
  bool TakeField(std::string_view* field);
  [[noreturn]] void Fail(std::string_view field, std::string_view problem) const;

  const LineReader& reader_;
  std::string_view rest_;
  const char separator_;
  const std::string_view layout_;
  int index_ = 0;           // fields taken so far
  bool exhausted_ = false;  // the last comma-separated field has been taken
};

// How many fields a line has.
int CountFields(std::string_view line, char separator);

}  // namespace calfvo
