// SPDX-License-Identifier: Apache-2.0
// Where an axis is marked, and with what words.
#pragma once

#include <string>
#include <vector>

#include "eval/plot/axis.h"

namespace calfvo {

struct Ticks {
  std::vector<double> values;       // ascending, within the range
  std::vector<std::string> labels;  // one per value, all different
};

// Three to ten multiples of 1, 2 or 5 · 10^k within `range`, about `wanted` of them (3 to 9). Labels share
// their decimals ("0.0", "0.5", "1.0") and turn to powers of ten where those are shorter ("2e+06").
Ticks NiceTicks(const Range& range, int wanted);

}  // namespace calfvo
