// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/baselines.h"

#include <numbers>

#include "core/geometry/geometric_median.h"
#include "core/geometry/rotation_mean.h"
#include "core/geometry/so3.h"

namespace calfvo {

void EdgeMotions::Add(const Rigid3& first_from_second) {
  rotations.push_back(LogSO3(first_from_second.rotation));
  translations.push_back(first_from_second.translation);
}

Rigid3 BestConstantMotion(const EdgeMotions& edges) {
  // Rotation vectors are as far apart as their rotations only near zero; near π, v and −v are the same. So
  // they are taken from the mean rotation.
  std::vector<Quaternion> rotations;
  for (const Eigen::Vector3d& rotation : edges.rotations) rotations.push_back(ExpSO3(rotation));
  const Quaternion mean = ChordalMean(rotations, std::vector<double>(rotations.size(), 1.0));
  std::vector<Eigen::Vector3d> from_mean;
  for (const Quaternion& rotation : rotations) from_mean.push_back(LogSO3(mean.conjugate() * rotation));
  return {(mean * ExpSO3(GeometricMedian(from_mean))).normalized(), GeometricMedian(edges.translations)};
}

RelativeError ErrorOfGuess(const EdgeMotions& edges, const Rigid3& guess) {
  RelativeError sum{};
  for (size_t i = 0; i < edges.rotations.size(); ++i) {
    sum.t_rel_m += (edges.translations[i] - guess.translation).norm();
    sum.r_rel_deg += AngleBetween(ExpSO3(edges.rotations[i]), guess.rotation) * 180.0 / std::numbers::pi;
  }
  const auto count = static_cast<double>(edges.rotations.size());
  return {sum.t_rel_m / count, sum.r_rel_deg / count};
}

}  // namespace calfvo
