// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/association.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calfvo/error.h"

namespace calfvo {
namespace {

std::vector<PosePair> AssociateByIndex(const Trajectory& reference, const Trajectory& estimate) {
  if (reference.size() != estimate.size()) {
    throw Error(
        fmt::format("the reference has {} poses and the estimate {}; without timestamps in both they are "
                    "matched by index and must "
                    "be equally long",
                    reference.size(), estimate.size()));
  }
  std::vector<PosePair> pairs(reference.size());
  for (uint32_t i = 0; i < pairs.size(); ++i) pairs[i] = {i, i};
  return pairs;
}

// Distance in time; unsigned, because the difference of two int64 may not fit one.
uint64_t Distance(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

std::string TimeSpan(const Trajectory& trajectory) {
  return fmt::format("{:.6f} to {:.6f} s", static_cast<double>(trajectory.timestamps_ns.front()) * 1e-9,
                     static_cast<double>(trajectory.timestamps_ns.back()) * 1e-9);
}

}  // namespace

std::vector<PosePair> Associate(const Trajectory& reference, const Trajectory& estimate,
                                int64_t max_difference_ns) {
  if (reference.empty() || estimate.empty()) {
    throw Error(fmt::format("the {} has no poses", reference.empty() ? "reference" : "estimate"));
  }
  if (std::max(reference.size(), estimate.size()) > std::numeric_limits<uint32_t>::max()) {
    throw Error("trajectories of over 4 billion poses are not supported");
  }
  if (!reference.has_time || !estimate.has_time) return AssociateByIndex(reference, estimate);

  const bool estimate_is_longer = estimate.size() > reference.size();
  const std::vector<int64_t>& longer = (estimate_is_longer ? estimate : reference).timestamps_ns;
  const std::vector<int64_t>& shorter = (estimate_is_longer ? reference : estimate).timestamps_ns;
  std::vector<PosePair> pairs;
  pairs.reserve(shorter.size());
  size_t nearest = 0;
  for (size_t i = 0; i < shorter.size(); ++i) {
    // Both are in time order, so the nearest only ever moves forward.
    while (nearest + 1 < longer.size() &&
           Distance(longer[nearest + 1], shorter[i]) < Distance(longer[nearest], shorter[i])) {
      ++nearest;
    }
    if (Distance(longer[nearest], shorter[i]) > static_cast<uint64_t>(max_difference_ns)) continue;
    const auto in_longer = static_cast<uint32_t>(nearest);
    const auto in_shorter = static_cast<uint32_t>(i);
    pairs.push_back(estimate_is_longer ? PosePair{in_shorter, in_longer} : PosePair{in_longer, in_shorter});
  }
  if (pairs.empty()) {
    throw Error(fmt::format(
        "no poses match within {} s: the reference covers {}, the estimate {}; are both on the same clock?",
        static_cast<double>(max_difference_ns) * 1e-9, TimeSpan(reference), TimeSpan(estimate)));
  }
  return pairs;
}

}  // namespace calfvo
