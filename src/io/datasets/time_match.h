// SPDX-License-Identifier: Apache-2.0
// Which ground-truth pose belongs to which image, where they are on clocks of their own.
// (eval/metrics/association.h matches estimates to references, by evo's rules.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace calfvo {

// By the rule of the TUM benchmark's associate.py: of all pairs closer than `limit_ns`, the closest first
// (on a tie the earlier), each time in one pair only. Both sets of times increase. Returns the index in
// `poses` for each of `images`. Throws Error naming `name` where over 1000 poses are that close to one
// image.
std::vector<std::optional<size_t>> MatchOneToOne(std::span<const int64_t> images,
                                                 std::span<const int64_t> poses, int64_t limit_ns,
                                                 const std::string& name);

// The index in `poses`, which increase, of the time nearest to `time_ns`, if it is at most `limit_ns` away.
std::optional<size_t> MatchNearest(int64_t time_ns, std::span<const int64_t> poses, int64_t limit_ns);

}  // namespace calfvo
