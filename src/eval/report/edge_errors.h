// SPDX-License-Identifier: Apache-2.0
// Errors of edges beside their predicted uncertainties.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "eval/report/figures.h"

namespace calfvo {

// Three errors that are normal with deviation σ have a norm below this many σ in 95 % of the cases.
inline constexpr double k95PercentOfNorms = 2.7955;

// The predicted σ of each edge between consecutive pairs, which is one less than
// pairs. An edge over several poses adds up their variances. Empty without predicted uncertainties.
std::vector<EdgeSigma> EdgeSigmas(const EvaluatedPair& pair);

// Indices of the largest of `errors`, the largest first, at most `count`. Neighbours of an edge often fail
// with it, so chosen ones are at least `apart` from each other. NaN errors are skipped.
std::vector<size_t> LargestErrors(std::span<const double> errors, size_t count, size_t apart);

}  // namespace calfvo
