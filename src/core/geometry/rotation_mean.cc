// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/rotation_mean.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "calfvo/error.h"
#include "core/geometry/so3.h"

namespace calfvo {
namespace {

double LargestWeight(std::span<const double> weights) {
  double largest = 0.0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0.0) {
      throw Error(fmt::format("mean of rotations: weight {} is {}, expected a finite number of at least 0", i,
                              weights[i]));
    }
    largest = std::max(largest, weights[i]);
  }
  return largest;
}

}  // namespace

Quaternion ChordalMean(std::span<const Quaternion> rotations, std::span<const double> weights) {
  if (rotations.size() != weights.size()) {
    throw Error(
        fmt::format("mean of rotations: {} rotations but {} weights", rotations.size(), weights.size()));
  }
  const double largest_weight = LargestWeight(weights);
  if (largest_weight == 0.0) {
    throw Error(fmt::format("mean of rotations: none of the {} weights is positive", weights.size()));
  }

  Eigen::Matrix4d moment = Eigen::Matrix4d::Zero();
  for (size_t i = 0; i < rotations.size(); ++i) {
    if (weights[i] == 0.0) continue;
    const Eigen::Vector4d q = rotations[i].coeffs();
    if (!q.allFinite()) throw Error(fmt::format("mean of rotations: rotation {} is not finite", i));
    moment += (weights[i] / largest_weight) * (q * q.transpose());
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(moment);
  Eigen::Vector4d mean = solver.eigenvectors().col(3);
  // A step of power iteration, which can only raise q·Aq, takes off the solver's rounding: a lone rotation
  // comes back to the last bit or so.
  mean = (moment * mean).normalized();
  return CanonicalSign(Quaternion(mean));
}

}  // namespace calfvo
