// SPDX-License-Identifier: Apache-2.0
#include "loop/motion_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/geometry/so3.h"
#include "eval/metrics/baselines.h"
#include "eval/metrics/statistics.h"

namespace calfvo::train {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kMoving_m = 1e-4;

template <typename Function>
double Mean(const std::vector<ScoredPair>& pairs, Function function) {
  double sum = 0.0;
  for (const ScoredPair& pair : pairs) sum += function(pair);
  return sum / static_cast<double>(pairs.size());
}

double RotationError(const ScoredPair& pair) {
  return AngleBetween(pair.rotation, pair.rotation_truth);
}

double TranslationError(const ScoredPair& pair) {
  return (pair.translation - pair.translation_truth).norm();
}

// Comparisons with NaN are false, so a missing expectation must not become "outside".
double Within(double error, const std::optional<double>& expected) {
  if (!expected) return std::numeric_limits<double>::quiet_NaN();
  return error <= *expected ? 1.0 : 0.0;
}

}  // namespace

MotionScores ScoreMotions(const std::vector<ScoredPair>& pairs) {
  EdgeMotions truth;
  std::vector<double> ratios, cosines;
  for (const ScoredPair& pair : pairs) {
    truth.Add({pair.rotation_truth, pair.translation_truth});
    const double length_truth = pair.translation_truth.norm();
    if (length_truth < kMoving_m) continue;
    const double length = pair.translation.norm();
    ratios.push_back(length / length_truth);
    cosines.push_back(pair.translation.dot(pair.translation_truth) / std::max(length * length_truth, 1e-12));
  }
  const RelativeError zero = ErrorOfGuess(truth, Rigid3());
  const RelativeError constant = ErrorOfGuess(truth, BestConstantMotion(truth));
  MotionScores scores;
  scores.t_rel = Mean(pairs, TranslationError);
  scores.r_rel = Mean(pairs, RotationError) / kDegree;
  scores.zero_t_rel = zero.t_rel_m;
  scores.zero_r_rel = zero.r_rel_deg;
  scores.constant_t_rel = constant.t_rel_m;
  scores.constant_r_rel = constant.r_rel_deg;
  scores.scale_ratio = Summarise(ratios).median;
  scores.cosine = Summarise(cosines).median;
  scores.within_t = Mean(
      pairs, [](const auto& pair) { return Within(TranslationError(pair), pair.expected_translation_m); });
  scores.within_r =
      Mean(pairs, [](const auto& pair) { return Within(RotationError(pair), pair.expected_rotation_rad); });
  return scores;
}

double HeldOutScore(const std::vector<MotionScores>& sets) {
  constexpr double kLeast_m = 1e-3;
  constexpr double kLeast_deg = 0.02;
  double sum = 0.0;
  for (const MotionScores& scores : sets) {
    sum += 0.5 * scores.t_rel / std::max(scores.zero_t_rel, kLeast_m) +
           0.5 * scores.r_rel / std::max(scores.zero_r_rel, kLeast_deg);
  }
  return sum / static_cast<double>(sets.size());
}

}  // namespace calfvo::train
