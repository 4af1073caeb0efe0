// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/path_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "eval/metrics/test_path.h"

namespace calfvo {
namespace {

Trajectory FourEdges() {
  return Path(FourMotions());
}

TEST(Baselines, ZeroMotionHasTheMeanMotionAsError) {
  const Trajectory truth = FourEdges();
  const PathScores scores = ScorePath(truth, ZeroMotion(truth));
  EXPECT_NEAR(scores.t_rel, 8.0 / 4, 1e-12);
  EXPECT_NEAR(scores.r_rel, 6.0 / 4, 1e-9);
}

TEST(Baselines, TheBestConstantMotionIsTheCommonOne) {
  const Trajectory truth = FourEdges();
  const PathScores scores = ScorePath(truth, ConstantMotion(truth));
  EXPECT_NEAR(scores.t_rel, 4.0 / 4, 1e-6);
  EXPECT_NEAR(scores.r_rel, 2.0 / 4, 1e-6);
}

TEST(ScorePath, AnEstimateTwiceTooLong) {
  const Trajectory truth = FourEdges();
  Trajectory estimate = truth;
  for (Rigid3& pose : estimate.world_from_camera) pose.translation *= 2.0;
  const PathScores scores = ScorePath(truth, estimate);
  EXPECT_NEAR(scores.scale, 0.5, 1e-9);
  EXPECT_NEAR(scores.t_rel, 2.0, 1e-9);
  EXPECT_NEAR(scores.t_rel_aligned, 0.0, 1e-9);
  EXPECT_NEAR(scores.ate_aligned, 0.0, 1e-9);
  EXPECT_GT(scores.ate, 1.0);
  EXPECT_NEAR(scores.r_rel, 0.0, 1e-9);
}

TEST(CalibrateEdges, NormalErrorsGiveTheSharesOfTheNormalDistribution) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  const auto vector = [&](double sigma) {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    return Eigen::Vector3d(sigma * x, sigma * y, sigma * z);
  };
  std::vector<std::optional<Rigid3>> truth = {Rigid3()};
  std::vector<Rigid3> estimate = {Rigid3()};
  std::vector<EdgeRecord> edges(1);
  for (int i = 0; i < 20000; ++i) {
    const double size = 1.0 + 0.5 * std::sin(i);  // edges differ in their σ
    const Rigid3 motion{ExpSO3(vector(0.1)), vector(0.5)};
    const Rigid3 noisy{motion.rotation * ExpSO3(vector(1e-3 * size)),
                       motion.translation + vector(0.02 * size)};
    truth.push_back(*truth.back() * motion);
    estimate.push_back(estimate.back() * noisy);
    edges.push_back({1, 0.02 * size, 2e-3 * size});  // rotation is believed to be twice as bad
  }
  const EdgeCalibration shares = CalibrateEdges(truth, estimate, edges);
  EXPECT_NEAR(ShareAt(shares.translation, kOneSigmaLevel), 0.6827, 0.006);
  EXPECT_NEAR(ShareAt(shares.translation, kTwoSigmaLevel), 0.9545, 0.003);
  EXPECT_NEAR(ShareAt(shares.rotation, kOneSigmaLevel), 0.9545, 0.003);
  EXPECT_NEAR(ShareAt(shares.rotation, kTwoSigmaLevel), 0.9999, 0.001);
}

TEST(CalibrateEdges, EdgesWithoutTruthOrConfidenceDoNotCount) {
  const Rigid3 off{ExpSO3({0.0, 0.0, 0.0}), {9.0, 9.0, 9.0}};
  const std::vector<std::optional<Rigid3>> truth = {Rigid3(), Rigid3(), std::nullopt, Rigid3()};
  const std::vector<Rigid3> estimate = {Rigid3(), Rigid3(), off, Rigid3()};
  const std::vector<EdgeRecord> edges(4, EdgeRecord{1, 0.1, 0.1});
  EXPECT_EQ(ShareAt(CalibrateEdges(truth, estimate, edges).translation, kOneSigmaLevel), 1.0);
  EXPECT_TRUE(CalibrateEdges(truth, estimate, std::vector<EdgeRecord>(4)).rotation.empty());
}

TEST(EstimatesPerPair, TheFirstPoseHasNoEdge) {
  EXPECT_EQ(EstimatesPerPair(std::vector<EdgeRecord>{{0}, {1}, {4}}), 2.5);
  EXPECT_TRUE(std::isnan(EstimatesPerPair(std::vector<EdgeRecord>{{0}})));
}

}  // namespace
}  // namespace calfvo
