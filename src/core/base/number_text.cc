// SPDX-License-Identifier: Apache-2.0
#include "core/base/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace calfvo {
namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

template <typename Number>
bool ParseAll(std::string_view text, Number* value) {
  if (text.starts_with("+-")) return false;
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stopped == end;
}

// Splits "-12.345" into sign, "12" and "345"; false for anything that is not a plain decimal.
bool SplitDecimal(std::string_view text, bool* negative, std::string_view* whole,
                  std::string_view* fraction) {
  *negative = text.starts_with('-');
  if (*negative || text.starts_with('+')) text.remove_prefix(1);
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  *whole = text.substr(0, digits);
  text.remove_prefix(digits);
  *fraction = {};
  if (!text.empty()) {
    if (text[0] != '.') return false;
    *fraction = text.substr(1);
    for (const char c : *fraction) {
      if (!IsDigit(c)) return false;
    }
  }
  return !whole->empty() || !fraction->empty();
}

}  // namespace

bool ParseNumber(std::string_view text, double* value) {
  return ParseAll(text, value);
}

bool ParseSeconds(std::string_view text, int64_t* nanoseconds) {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  if (!SplitDecimal(text, &negative, &whole, &fraction)) {
    double seconds = 0.0;
    if (!ParseAll(text, &seconds)) return false;
    constexpr double kMost = 9.2e9;
    if (!(std::abs(seconds) <= kMost)) return false;
    *nanoseconds = std::llround(seconds * static_cast<double>(kNanosecondsPerSecond));
    return true;
  }
  int64_t seconds = 0;
  if (!whole.empty() && !ParseAll(whole, &seconds)) return false;
  int64_t below = 0;
  for (size_t digit = 0; digit < 9; ++digit) {
    below = 10 * below + (digit < fraction.size() ? fraction[digit] - '0' : 0);
  }
  if (fraction.size() > 9 && fraction[9] >= '5') ++below;
  if (__builtin_mul_overflow(seconds, kNanosecondsPerSecond, &seconds)) return false;
  if (__builtin_add_overflow(seconds, below, nanoseconds)) return false;
  if (negative) *nanoseconds = -*nanoseconds;
  return true;
}

bool ParseNanoseconds(std::string_view text, int64_t* nanoseconds) {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  if (!SplitDecimal(text, &negative, &whole, &fraction) || whole.empty()) return false;
  if (!ParseAll(whole, nanoseconds)) return false;
  if (negative) *nanoseconds = -*nanoseconds;
  return true;
}

void AppendNumber(double value, std::string* text) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text->append(buffer.data(), result.ptr);
}

void AppendInteger(int64_t value, std::string* text) {
  std::array<char, 24> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text->append(buffer.data(), result.ptr);
}

void AppendSeconds(int64_t nanoseconds, std::string* text) {
  // Through unsigned, so that the most negative value has a magnitude too.
  const uint64_t magnitude =
      nanoseconds < 0 ? 0 - static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  if (nanoseconds < 0) text->push_back('-');
  AppendInteger(static_cast<int64_t>(magnitude / kNanosecondsPerSecond), text);
  std::array<char, 10> fraction;
  fraction[0] = '.';
  uint64_t below = magnitude % kNanosecondsPerSecond;
  for (size_t digit = 9; digit >= 1; --digit) {
    fraction[digit] = static_cast<char>('0' + below % 10);
    below /= 10;
  }
  text->append(fraction.data(), fraction.size());
}

}  // namespace calfvo
