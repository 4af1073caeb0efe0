// SPDX-License-Identifier: Apache-2.0
// What figures must survive. Included by *_test.cc files only.
#pragma once

#include <limits>

namespace calfvo {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace calfvo
