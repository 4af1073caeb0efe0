// SPDX-License-Identifier: Apache-2.0
#include "core/base/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "calfvo/error.h"
#include "core/base/number_text.h"
#include "core/base/quoted.h"

namespace calfvo {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

LineReader::LineReader(std::istream& stream, std::string name)
    : stream_(stream), name_(std::move(name)), buffer_(4 * kMaxLineLength) {}

bool LineReader::NextRawLine(std::string_view* line) {
  while (true) {
    const char* start = buffer_.data() + begin_;
    const size_t unread = end_ - begin_;
    const void* newline = unread > 0 ? std::memchr(start, '\n', unread) : nullptr;
    if (newline != nullptr || (unread > 0 && stream_.eof())) {
      const size_t length =
          newline != nullptr ? static_cast<size_t>(static_cast<const char*>(newline) - start) : unread;
      begin_ += newline != nullptr ? length + 1 : length;
      ++line_number_;
      if (length > kMaxLineLength)
        Fail(fmt::format("line of {} bytes; at most {} expected", length, kMaxLineLength));
      *line = {start, length};
      return true;
    }
    if (unread > kMaxLineLength) {
      ++line_number_;
      Fail(fmt::format("line of over {} bytes; is this a text file?", kMaxLineLength));
    }
    if (stream_.eof()) return false;
    std::memmove(buffer_.data(), start, unread);
    begin_ = 0;
    stream_.read(buffer_.data() + unread, static_cast<std::streamsize>(buffer_.size() - unread));
    end_ = unread + static_cast<size_t>(stream_.gcount());
    // Failed without having come to its end: it could not be opened, or breaks off. It would never end.
    if (stream_.bad() || (stream_.fail() && !stream_.eof())) throw Error(name_ + ": cannot read");
  }
}

std::string_view LineReader::Next() {
  if (has_peeked_) {
    has_peeked_ = false;
    return peeked_;
  }
  std::string_view line;
  while (NextRawLine(&line)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const size_t first = line.find_first_not_of(kBlanks);
    if (first != std::string_view::npos && line[first] != '#') return line;
  }
  return {};
}

std::string_view LineReader::Peek() {
  if (!has_peeked_) {
    peeked_ = Next();
    has_peeked_ = true;
  }
  return peeked_;
}

void LineReader::Fail(std::string_view message) const {
  throw Error(fmt::format("{}:{}: {}", name_, line_number_, message));
}

bool FieldReader::TakeField(std::string_view* field) {
  if (separator_ == ',') {
    if (exhausted_) return false;
    const size_t comma = rest_.find(',');
    exhausted_ = comma == std::string_view::npos;
    *field = Trim(rest_.substr(0, comma));
    rest_.remove_prefix(exhausted_ ? rest_.size() : comma + 1);
  } else {
    const size_t first = rest_.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return false;
    rest_.remove_prefix(first);
    *field = rest_.substr(0, rest_.find_first_of(kBlanks));
    rest_.remove_prefix(field->size());
  }
  ++index_;
  return true;
}

void FieldReader::Fail(std::string_view field, std::string_view problem) const {
  reader_.Fail(fmt::format("field {} {} {}; expected '{}'", index_, Quoted(field), problem, layout_));
}

std::string_view FieldReader::Text() {
  std::string_view field;
  if (!TakeField(&field)) {
    reader_.Fail(fmt::format("the line ends after {} field{}; expected '{}'", index_, index_ == 1 ? "" : "s",
                             layout_));
  }
  return field;
}

double FieldReader::Number() {
  const std::string_view field = Text();
  double value = 0.0;
  if (!ParseNumber(field, &value)) Fail(field, "is not a number");
  if (!std::isfinite(value)) Fail(field, "is not finite");
  return value;
}

double FieldReader::AnyNumber() {
  const std::string_view field = Text();
  double value = 0.0;
  if (!ParseNumber(field, &value)) Fail(field, "is not a number");
  return value;
}

int64_t FieldReader::Seconds() {
  const std::string_view field = Text();
  int64_t nanoseconds = 0;
  if (!ParseSeconds(field, &nanoseconds)) Fail(field, "is not a time in seconds within ±9.2e9");
  return nanoseconds;
}

int64_t FieldReader::Nanoseconds() {
  const std::string_view field = Text();
  int64_t nanoseconds = 0;
  if (!ParseNanoseconds(field, &nanoseconds)) Fail(field, "is not a time in nanoseconds within ±9.2e18");
  return nanoseconds;
}

void FieldReader::ExpectEnd() {
  std::string_view field;
  if (TakeField(&field)) Fail(field, "is one too many");
}

int CountFields(std::string_view line, char separator) {
  if (separator == ',') return 1 + static_cast<int>(std::count(line.begin(), line.end(), ','));
  int count = 0;
  for (size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos; ++count) {
    at = line.find_first_not_of(kBlanks, line.find_first_of(kBlanks, at));
  }
  return count;
}

}  // namespace calfvo
