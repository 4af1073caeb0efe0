// SPDX-License-Identifier: Apache-2.0
#include "eval/baselines.h"

#include <numbers>

#include "geometry/geometric_median.h"
#include "geometry/so3.h"

namespace calfvo {

void StepMotions::Add(const Rigid3& first_from_second) {
  rotations.push_back(LogSO3(first_from_second.rotation));
  translations.push_back(first_from_second.translation);
}

Rigid3 BestConstantMotion(const StepMotions& steps) {
  return {ExpSO3(GeometricMedian(steps.rotations)), GeometricMedian(steps.translations)};
}

RelativeError ErrorOfGuess(const StepMotions& steps, const Rigid3& guess) {
  RelativeError sum{};
  for (size_t i = 0; i < steps.rotations.size(); ++i) {
    sum.t_rel_m += (steps.translations[i] - guess.translation).norm();
    sum.r_rel_deg += AngleBetween(ExpSO3(steps.rotations[i]), guess.rotation) * 180.0 / std::numbers::pi;
  }
  const auto count = static_cast<double>(steps.rotations.size());
  return {sum.t_rel_m / count, sum.r_rel_deg / count};
}

}  // namespace calfvo
