// SPDX-License-Identifier: Apache-2.0
// Where an estimate goes wrong, step by step, and whether its confidence knew.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "report/figures.h"

namespace calfvo {

// Three errors that are normal with deviation σ have a norm below this many σ in 95 % of the cases.
inline constexpr double k95PercentOfNorms = 2.7955;

// The standard deviations that `pair` tells of each step between consecutive pairs, which is one less than
// pairs. A step over several poses adds up their variances. Empty where nothing is told.
std::vector<StepSigma> SigmasOfSteps(const EvaluatedPair& pair);

// Indices of the largest of `errors`, the largest first, at most `count`. Neighbours of a step often fail
// with it, so chosen ones are at least `apart` from each other. Errors that are no number are passed over.
std::vector<size_t> LargestErrors(std::span<const double> errors, size_t count, size_t apart);

}  // namespace calfvo
