// SPDX-License-Identifier: Apache-2.0
#include "io/video/frame_rate.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "calfvo/error.h"

namespace calfvo {
namespace {

constexpr int64_t kFastestHertz = 1000;
constexpr int64_t kSlowestSeconds = 3600;  // from one image to the next

// Digits only, at most `max`.
std::optional<int64_t> ParseDigits(std::string_view text, int64_t max) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || text.front() == '-' || result.ec != std::errc() || result.ptr != end || value > max)
    return {};
  return value;
}

std::optional<FrameRate> Reduced(int64_t numerator, int64_t denominator) {
  if (denominator < 1 || numerator * kSlowestSeconds < denominator || numerator > kFastestHertz * denominator)
    return {};
  const int64_t divisor = std::gcd(numerator, denominator);
  return FrameRate{static_cast<int>(numerator / divisor), static_cast<int>(denominator / divisor)};
}

std::optional<FrameRate> TryParse(std::string_view text) {
  constexpr int64_t kMax = 1'000'000;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const auto numerator = ParseDigits(text.substr(0, slash), kMax);
    const auto denominator = ParseDigits(text.substr(slash + 1), kMax);
    return numerator && denominator ? Reduced(*numerator, *denominator) : std::nullopt;
  }
  const size_t point = text.find('.');
  const auto whole = ParseDigits(text.substr(0, point), 1000);
  if (!whole) return {};
  if (point == std::string_view::npos) return Reduced(*whole, 1);
  std::string decimals(text.substr(point + 1));
  if (decimals.empty() || decimals.size() > 3) return {};
  decimals.resize(3, '0');
  const auto thousandths = ParseDigits(decimals, 999);
  return thousandths ? Reduced(*whole * 1000 + *thousandths, 1000) : std::nullopt;
}

}  // namespace

int64_t FrameRate::TimestampNs(int64_t index) const {
  const auto product = static_cast<__int128>(index) * denominator * 1'000'000'000;
  const __int128 timestamp_ns = (product + numerator / 2) / numerator;
  if (timestamp_ns > std::numeric_limits<int64_t>::max()) {
    throw Error(
        fmt::format("at {} frames per second, frame {} is more than 292 years after the first; give a "
                    "higher rate",
                    FrameRateText(*this), index));
  }
  return static_cast<int64_t>(timestamp_ns);
}

FrameRate ParseFrameRate(std::string_view text) {
  if (const auto rate = TryParse(text)) return *rate;
  throw Error(
      fmt::format("frame rate '{}' is not a number like 30, 29.97 (at most three decimals), 30000/1001 or "
                  "1/60, from 1/{} to {}",
                  text, kSlowestSeconds, kFastestHertz));
}

// The convergents of its continued fraction.
FrameRate FrameRateFromHertz(double hertz) {
  if (!(hertz * kSlowestSeconds >= 1.0 && hertz <= kFastestHertz)) {
    throw Error(fmt::format("frame rate {} is not from 1/{} to {}", hertz, kSlowestSeconds, kFastestHertz));
  }
  constexpr double kMaxInt = std::numeric_limits<int>::max();
  double numerator = 1.0, numerator_before = 0.0;
  double denominator = 0.0, denominator_before = 1.0;
  double rest = hertz;
  while (numerator / denominator != hertz) {
    const double whole = std::floor(rest);
    const double next_numerator = whole * numerator + numerator_before;
    const double next_denominator = whole * denominator + denominator_before;
    if (next_numerator > kMaxInt || next_denominator > kMaxInt) break;
    numerator_before = std::exchange(numerator, next_numerator);
    denominator_before = std::exchange(denominator, next_denominator);
    rest = 1.0 / (rest - whole);
  }
  return {static_cast<int>(numerator), static_cast<int>(denominator)};
}

std::string FrameRateText(FrameRate rate) {
  return rate.denominator == 1 ? std::to_string(rate.numerator)
                               : fmt::format("{}/{}", rate.numerator, rate.denominator);
}

}  // namespace calfvo
