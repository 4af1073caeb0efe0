// SPDX-License-Identifier: Apache-2.0
// What an estimate is worth comparing with: guesses that see nothing.
#pragma once

#include <vector>

#include "calfvo/evaluation.h"

namespace calfvo {

// The motions from each pose to the next: vectors rather than transforms, which take half the memory.
struct EdgeMotions {
  std::vector<Eigen::Vector3d> rotations;     // axis times angle, rad
  std::vector<Eigen::Vector3d> translations;  // m

  void Add(const Rigid3& first_from_second);
};

// Of all motions the one with the least mean error as a guess of each edge, of which there is at least one.
// It is chosen with the truth.
Rigid3 BestConstantMotion(const EdgeMotions& edges);

// Mean errors of guessing `guess` for each edge; unknown where there are none.
RelativeError ErrorOfGuess(const EdgeMotions& edges, const Rigid3& guess);

}  // namespace calfvo
