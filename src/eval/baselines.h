// SPDX-License-Identifier: Apache-2.0
// What an estimate is worth comparing with: guesses that see nothing.
#pragma once

#include <vector>

#include "calfvo/evaluation.h"

namespace calfvo {

// The motions from each pose to the next: vectors rather than transforms, which take half the memory.
struct StepMotions {
  std::vector<Eigen::Vector3d> rotations;     // axis times angle, rad
  std::vector<Eigen::Vector3d> translations;  // m

  void Add(const Rigid3& first_from_second);
};

// Of all motions the one with the least mean error as a guess of each step, of which there is at least one.
// Only somebody who knows the truth can choose it.
Rigid3 BestConstantMotion(const StepMotions& steps);

// Mean errors of guessing `guess` for each step; unknown where there are none.
RelativeError ErrorOfGuess(const StepMotions& steps, const Rigid3& guess);

}  // namespace calfvo
