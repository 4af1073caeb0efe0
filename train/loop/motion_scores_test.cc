// SPDX-License-Identifier: Apache-2.0
#include "loop/motion_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/geometry/so3.h"

namespace calfvo::train {
namespace {

constexpr double kDegree = 0.017453292519943295;

ScoredPair Pair(const Eigen::Vector3d& rotation_truth_deg, const Eigen::Vector3d& rotation_deg,
                const Eigen::Vector3d& translation_truth, const Eigen::Vector3d& translation) {
  return {.rotation_truth = ExpSO3(rotation_truth_deg * kDegree),
          .rotation = ExpSO3(rotation_deg * kDegree),
          .translation_truth = translation_truth,
          .translation = translation};
}

TEST(ScoreMotions, ClosedForms) {
  // Three equal motions and one that differs: the best constant is the common one.
  std::vector<ScoredPair> pairs(3, Pair({0, 2, 0}, {0, 3, 0}, {0, 0, 1}, {0, 0, 2}));
  pairs.push_back(Pair({0, -2, 0}, {0, -2, 0}, {0, 0, 5}, {0, 3, 5}));
  for (ScoredPair& pair : pairs) {
    pair.expected_rotation_rad = 0.5 * kDegree;
    pair.expected_translation_m = 2.0;
  }
  const MotionScores scores = ScoreMotions(pairs);
  EXPECT_NEAR(scores.t_rel, (3 * 1.0 + 3.0) / 4, 1e-12);
  EXPECT_NEAR(scores.r_rel, (3 * 1.0 + 0.0) / 4, 1e-9);
  EXPECT_NEAR(scores.zero_t_rel, (3 * 1.0 + 5.0) / 4, 1e-12);
  EXPECT_NEAR(scores.zero_r_rel, 2.0, 1e-9);
  EXPECT_NEAR(scores.constant_t_rel, 4.0 / 4, 1e-6);
  EXPECT_NEAR(scores.constant_r_rel, 4.0 / 4, 1e-6);
  EXPECT_NEAR(scores.scale_ratio, 2.0, 1e-12);
  EXPECT_NEAR(scores.cosine, 1.0, 1e-12);
  EXPECT_NEAR(scores.within_t, 0.75, 1e-12);
  EXPECT_NEAR(scores.within_r, 0.25, 1e-12);
}

// Turns by nearly half a circle either way are nearly the same, though their vectors are far apart.
TEST(ScoreMotions, TheBestConstantIsThatOfEvaluations) {
  const std::vector<ScoredPair> pairs = {Pair({0, 179, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}),
                                         Pair({0, 180, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}),
                                         Pair({0, -179, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1})};
  EXPECT_NEAR(ScoreMotions(pairs).constant_r_rel, 2.0 / 3.0, 1e-6);
}

TEST(ScoreMotions, MediansOfEvenCountsLieBetweenTheMiddleTwo) {
  const MotionScores scores = ScoreMotions(
      {Pair({0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}), Pair({0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 3, 0})});
  EXPECT_NEAR(scores.scale_ratio, 2.0, 1e-12);
  EXPECT_NEAR(scores.cosine, 0.5, 1e-12);
}

TEST(ScoreMotions, CamerasThatStand) {
  const MotionScores scores = ScoreMotions({Pair({0, 0, 0}, {0, 0, 0.04}, {0, 0, 0}, {0, 0, 0.002})});
  EXPECT_TRUE(std::isnan(scores.scale_ratio));
  EXPECT_TRUE(std::isnan(scores.cosine));
  EXPECT_TRUE(std::isnan(scores.within_t));
  EXPECT_NEAR(HeldOutScore({scores}), 0.5 * 2.0 + 0.5 * 2.0, 1e-9);
}

TEST(HeldOutScore, PredictingNoMotionScoresOne) {
  const MotionScores room = ScoreMotions({Pair({0, 1, 0}, {0, 0, 0}, {0, 0, 0.01}, {0, 0, 0})});
  const MotionScores street = ScoreMotions({Pair({0, 0.2, 0}, {0, 0, 0}, {0, 0, 1.0}, {0, 0, 0})});
  EXPECT_NEAR(HeldOutScore({room, street}), 1.0, 1e-9);
}

}  // namespace
}  // namespace calfvo::train
