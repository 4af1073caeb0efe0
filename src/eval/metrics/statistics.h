// SPDX-License-Identifier: Apache-2.0
// Summaries of error series.
#pragma once

#include <span>

#include "calfvo/evaluation.h"

namespace calfvo {

// All NaN for an empty series. The median of an even count is the mean of the middle two.
Statistics Summarise(std::span<const double> series);

// The mean of the values that are not NaN; NaN if there are none.
double MeanOfKnown(std::span<const double> values);

}  // namespace calfvo
