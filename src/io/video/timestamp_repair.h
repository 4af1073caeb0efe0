// SPDX-License-Identifier: Apache-2.0
// Time that always goes on, from containers where it does not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace calfvo {

// Times that increase pass unchanged. One that is missing becomes one interval after the frame before (the
// first: 0). One that is not after the frame before, a repeated time or a jump back, becomes half an interval
// after it, so that a single wrong time does not push its successor; further ones in a row are an interval
// apart, so that a recording which starts again at zero keeps its pace.
class TimestampRepair {
 public:
  // `interval_ns` is what usually lies between two frames; taken as at least 2 ns, at most 10 s.
  explicit TimestampRepair(int64_t interval_ns)
      : interval_ns_(std::clamp<int64_t>(interval_ns, 2, 10'000'000'000)) {}

  int64_t Next(std::optional<int64_t> timestamp_ns) {
    // About ±126 years: times beyond are not plausible, and sums would overflow.
    constexpr int64_t kMost = 4'000'000'000'000'000'000;
    const bool missing = !timestamp_ns || *timestamp_ns > kMost || *timestamp_ns < -kMost;
    const bool backwards = !missing && last_ns_ && *timestamp_ns <= *last_ns_;
    if (missing) {
      last_ns_ = last_ns_ ? *last_ns_ + interval_ns_ : 0;
    } else if (backwards) {
      *last_ns_ += was_backwards_ ? interval_ns_ : interval_ns_ / 2;
    } else {
      last_ns_ = timestamp_ns;
    }
    was_backwards_ = backwards;
    repaired_ += missing || backwards;
    return *last_ns_;
  }

  // How many times were synthetic so far.
  int64_t repaired() const { return repaired_; }

 private:
  const int64_t interval_ns_;
  std::optional<int64_t> last_ns_;
  bool was_backwards_ = false;
  int64_t repaired_ = 0;
};

}  // namespace calfvo
