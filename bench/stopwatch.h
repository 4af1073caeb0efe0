// SPDX-License-Identifier: Apache-2.0
// Timing for benchmarks that compare in one run: warm up, repeat, take the median.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace calfvo {

// Median seconds of one call, over at least `repetitions` calls and `seconds` of them in all, after one
// warm-up call.
template <typename Function>
double MedianSeconds(const Function& function, int repetitions = 5, double seconds = 0.3) {
  using Clock = std::chrono::steady_clock;
  function();
  std::vector<double> times;
  double total = 0.0;
  while (static_cast<int>(times.size()) < repetitions || total < seconds) {
    const auto start = Clock::now();
    function();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += times.back();
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace calfvo
