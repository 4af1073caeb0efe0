// SPDX-License-Identifier: Apache-2.0
// Images per second, without rounding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace calfvo {

// A fraction in lowest terms: 30/1, or 30000/1001 for what television calls 29.97.
struct FrameRate {
  int numerator = 30;
  int denominator = 1;

  double Hertz() const { return static_cast<double>(numerator) / denominator; }
  // When image `index` is shown, the first at 0: rounded to the nanosecond, without adding up errors.
  // Throws Error after some 292 years, which is where int64 ends.
  int64_t TimestampNs(int64_t index) const;

  bool operator==(const FrameRate&) const = default;
};

// "30", "29.97" (at most three decimals), "30000/1001" or, for time-lapse, "1/60": from 1/3600 to 1000.
// Throws Error saying so otherwise.
FrameRate ParseFrameRate(std::string_view text);

// The simplest fraction that is this very double, so that 30000.0 / 1001 is 30000/1001 again; where an
// int is too short for that, one within 1e-9 of it. From 1/3600 to 1000; throws Error naming the number
// otherwise.
FrameRate FrameRateFromHertz(double hertz);

// As ParseFrameRate reads it: "30" or "30000/1001".
std::string FrameRateText(FrameRate rate);

}  // namespace calfvo
