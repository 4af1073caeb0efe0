// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace calfvo {

Statistics Summarise(std::span<const double> series) {
  if (series.empty()) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    return {kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown};
  }
  const auto count = static_cast<double>(series.size());
  double sum = 0.0;
  double sum_of_squares = 0.0;
  for (const double value : series) {
    sum += value;
    sum_of_squares += value * value;
  }
  const double mean = sum / count;
  double sum_of_deviations = 0.0;
  for (const double value : series) sum_of_deviations += (value - mean) * (value - mean);

  std::vector<double> sorted(series.begin(), series.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  double median = *middle;
  if (sorted.size() % 2 == 0) median = 0.5 * (median + *std::max_element(sorted.begin(), middle));

  const auto [min, max] = std::minmax_element(series.begin(), series.end());
  return {std::sqrt(sum_of_squares / count), mean, median, std::sqrt(sum_of_deviations / count), *min, *max};
}

double MeanOfKnown(std::span<const double> values) {
  double sum = 0.0;
  int known = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++known;
  }
  return known > 0 ? sum / known : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace calfvo
