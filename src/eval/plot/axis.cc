// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/axis.h"

#include <algorithm>

namespace calfvo {

Range ShownRange(const Extent& extent, double margin) {
  constexpr double kSmallestSpan = 1e-100;
  constexpr double kResolution = 1e-11;  // of the largest magnitude; leaves labels of a dozen digits
  if (extent.empty()) return {0.0, 1.0};
  const double magnitude = std::max(std::abs(extent.low), std::abs(extent.high));
  const double span = extent.high - extent.low;
  if (span <= std::max(kSmallestSpan, kResolution * magnitude)) {
    const double middle = extent.low / 2 + extent.high / 2;
    const double half = magnitude <= kSmallestSpan ? 1.0 : 0.1 * magnitude;
    return {middle - half, middle + half};
  }
  return {extent.low - margin * span, extent.high + margin * span};
}

}  // namespace calfvo
