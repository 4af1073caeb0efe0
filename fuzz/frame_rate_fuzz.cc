// SPDX-License-Identifier: Apache-2.0
// Feeds text to the parser of frame rates; what it accepts must print as a rate that it accepts and that is
// equal.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "calfvo/error.h"
#include "io/video/frame_rate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  calfvo::FrameRate rate;
  try {
    rate = calfvo::ParseFrameRate(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const calfvo::Error&) {
    return 0;
  }
  const calfvo::FrameRate again = calfvo::ParseFrameRate(calfvo::FrameRateText(rate));
  if (again.numerator != rate.numerator || again.denominator != rate.denominator ||
      rate.TimestampNs(1) <= 0) {
    std::fprintf(stderr, "broken promise: an accepted rate prints as itself and is positive\n");
    std::abort();
  }
  return 0;
}
