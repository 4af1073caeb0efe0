// SPDX-License-Identifier: Apache-2.0
// Timing for benchmarks that compare in one run: warm up, repeat, take the median.
#pragma once

#include <time.h>

#include <algorithm>
#include <vector>

namespace calfvo {

// The clock for work on `threads` threads: processor time for one, which other programs hardly affect; wall
// time for several, which wait for each other.
inline clockid_t ClockFor(int threads) {
  return threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
}

inline double SecondsOf(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Median seconds of one call, over at least `repetitions` calls and `seconds` of them in all, after one
// warm-up call.
template <typename Function>
double MedianSeconds(const Function& function, int repetitions = 5, double seconds = 0.3,
                     clockid_t clock = CLOCK_MONOTONIC) {
  function();
  std::vector<double> times;
  double total = 0.0;
  while (static_cast<int>(times.size()) < repetitions || total < seconds) {
    const double start = SecondsOf(clock);
    function();
    times.push_back(SecondsOf(clock) - start);
    total += times.back();
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace calfvo
