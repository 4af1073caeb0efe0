// SPDX-License-Identifier: Apache-2.0
#include "datasets/time_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "calfvo/error.h"

namespace calfvo {
namespace {

// Unsigned, because the difference of two int64 may not fit one.
uint64_t Distance(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

}  // namespace

std::vector<std::optional<size_t>> MatchOneToOne(std::span<const int64_t> pictures,
                                                 std::span<const int64_t> poses, int64_t limit_ns,
                                                 const std::string& name) {
  constexpr size_t kMostPerPicture = 1000;
  const auto limit = static_cast<uint64_t>(limit_ns);
  std::vector<std::tuple<uint64_t, size_t, size_t>> pairs;  // distance, picture, pose
  size_t first = 0;
  for (size_t i = 0; i < pictures.size(); ++i) {
    while (first < poses.size() && poses[first] < pictures[i] &&
           Distance(poses[first], pictures[i]) >= limit) {
      ++first;
    }
    for (size_t j = first; j < poses.size() && Distance(poses[j], pictures[i]) < limit; ++j) {
      if (j - first == kMostPerPicture) {
        throw Error(fmt::format("{}: over {} poses are within {} s of the picture at {} ns", name,
                                kMostPerPicture, static_cast<double>(limit_ns) * 1e-9, pictures[i]));
      }
      pairs.emplace_back(Distance(poses[j], pictures[i]), i, j);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::optional<size_t>> matches(pictures.size());
  std::vector<bool> taken(poses.size());
  for (const auto& [distance, picture, pose] : pairs) {
    if (matches[picture] || taken[pose]) continue;
    matches[picture] = pose;
    taken[pose] = true;
  }
  return matches;
}

std::optional<size_t> MatchNearest(int64_t time_ns, std::span<const int64_t> poses, int64_t limit_ns) {
  const auto after = std::lower_bound(poses.begin(), poses.end(), time_ns);
  std::optional<size_t> nearest;
  auto best = static_cast<uint64_t>(limit_ns);
  if (after != poses.end() && Distance(*after, time_ns) <= best) {
    best = Distance(*after, time_ns);
    nearest = static_cast<size_t>(after - poses.begin());
  }
  if (after != poses.begin() && Distance(*(after - 1), time_ns) <= best) {
    nearest = static_cast<size_t>(after - poses.begin()) - 1;
  }
  return nearest;
}

}  // namespace calfvo
