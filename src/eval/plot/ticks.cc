// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace calfvo {
namespace {

// mantissa · 10^exponent, with mantissa 1, 2 or 5.
struct Step {
  int mantissa = 1;
  int exponent = 0;

  // index · step, rounded once: powers of ten with a positive exponent are exact up to 10^22, so that 3 · 0.1
  // is the double nearest to 0.3.
  double Multiple(double index) const {
    const double factor = index * mantissa;
    return exponent >= 0 ? factor * std::pow(10.0, exponent) : factor / std::pow(10.0, -exponent);
  }
  Step Smaller() const {
    if (mantissa == 5) return {2, exponent};
    if (mantissa == 2) return {1, exponent};
    return {5, exponent - 1};
  }
};

Step SmallestStepAtLeast(double size) {
  Step step{1, static_cast<int>(std::floor(std::log10(size))) + 1};
  while (step.Smaller().Multiple(1.0) >= size) step = step.Smaller();
  return step;
}

std::vector<double> Multiples(const Step& step, const Range& range) {
  const double size = step.Multiple(1.0);
  // Range ends that are a multiple but for rounding count as inside.
  const double slack = 1e-9;
  const double first = std::ceil(range.low / size - slack);
  const double last = std::floor(range.high / size + slack);
  std::vector<double> values;
  for (double index = first; index <= last && values.size() < 32; index += 1.0) {
    values.push_back(step.Multiple(index) + 0.0);  // + 0.0 turns -0 into 0
  }
  return values;
}

// 1.50e+06 becomes 1.5e+06, 2.00e+06 becomes 2e+06.
std::string Scientific(double value, int digits) {
  if (value == 0.0) return "0";
  std::string text = fmt::format("{:.{}e}", value, std::max(0, digits - 1));
  const size_t exponent = text.find('e');
  const size_t point = text.find('.');
  if (point == std::string::npos) return text;
  size_t end = exponent;
  while (text[end - 1] == '0') --end;
  if (end == point + 1) --end;
  return text.erase(end, exponent - end);
}

}  // namespace

Ticks NiceTicks(const Range& range, int wanted) {
  Ticks ticks;
  if (!(range.span() > 0.0) || !std::isfinite(range.span())) return ticks;
  Step step = SmallestStepAtLeast(range.span() / std::clamp(wanted, 3, 9));
  ticks.values = Multiples(step, range);
  while (ticks.values.size() < 3) {
    step = step.Smaller();
    ticks.values = Multiples(step, range);
  }

  const double largest = std::max(std::abs(ticks.values.front()), std::abs(ticks.values.back()));
  const int magnitude = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  const int digits = magnitude - step.exponent + 1;
  // 2e+06, but 1001000 rather than 1.001e+06: map coordinates are read digit by digit.
  const bool scientific = magnitude < -3 || (magnitude >= 6 && digits <= 2) || (magnitude > 9 && digits <= 5);
  for (const double value : ticks.values) {
    ticks.labels.push_back(scientific ? Scientific(value, digits)
                                      : fmt::format("{:.{}f}", value, std::max(0, -step.exponent)));
  }
  for (double& value : ticks.values) value = std::clamp(value, range.low, range.high);
  return ticks;
}

}  // namespace calfvo
