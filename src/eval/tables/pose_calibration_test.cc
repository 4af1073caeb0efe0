// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/pose_calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/geometry/covariance.h"
#include "core/geometry/so3.h"

namespace calfvo {
namespace {

// A sequence whose edges have errors of that correlation, and an estimate that believes in `believed`.
struct Walk {
  std::vector<std::optional<Rigid3>> truth = {Rigid3()};
  Trajectory estimate{.timestamps_ns = {0}, .world_from_camera = {{}}, .covariances = {Matrix6::Zero()}};
  std::vector<EdgeRecord> edges = std::vector<EdgeRecord>(1);

  Walk(std::mt19937_64& engine, int length, const EdgeCorrelation& true_one,
       const EdgeCorrelation& believed) {
    std::normal_distribution<double> normal;
    CovarianceChain chain(believed);
    Vector6 error = Vector6::Zero();
    for (int i = 0; i < length; ++i) {
      for (int axis = 0; axis < 6; ++axis) {
        const double kept = axis < 3 ? true_one.translation : true_one.rotation;
        const double fresh = normal(engine);
        error[axis] = i == 0 ? fresh : kept * error[axis] + std::sqrt(1.0 - kept * kept) * fresh;
      }
      const double sigma_t = 0.01 * (1.0 + 0.5 * std::sin(i));
      const double sigma_r = 0.001;
      const Rigid3 estimated{ExpSO3({0.01, 0.02 * std::sin(0.3 * i), 0.0}), {0.1, 0.0, 0.5}};
      const Rigid3 motion{estimated.rotation * ExpSO3(sigma_r * error.tail<3>()),
                          estimated.translation + sigma_t * error.head<3>()};
      truth.push_back(*truth.back() * motion);
      chain.Add(estimate.world_from_camera.back(), estimated, sigma_t, sigma_r);
      estimate.timestamps_ns.push_back(i + 1);
      estimate.world_from_camera.push_back(estimate.world_from_camera.back() * estimated);
      estimate.covariances.push_back(chain.covariance());
      edges.push_back({1, sigma_t, sigma_r});
    }
  }
};

PoseCalibration MeanOfWalks(const EdgeCorrelation& true_one, const EdgeCorrelation& believed) {
  std::mt19937_64 engine(5);
  std::vector<Coverage> orientation, position;
  double rotation_sums = 0.0, translation_sums = 0.0;
  constexpr int kWalks = 600;
  for (int i = 0; i < kWalks; ++i) {
    const Walk walk(engine, 40, true_one, believed);
    const PoseCalibration one = CalibratePoses(walk.truth, walk.estimate, walk.edges);
    orientation.push_back(one.orientation);
    position.push_back(one.position);
    rotation_sums += one.rotation_sums / kWalks;
    translation_sums += one.translation_sums / kWalks;
  }
  return {MeanCoverage(orientation), MeanCoverage(position), rotation_sums, translation_sums};
}

TEST(CalibratePoses, FindsTheCorrelationAndThatCovariancesWithItAreRight) {
  const EdgeCorrelation correlation{.rotation = 0.7, .translation = 0.9};
  const PoseCalibration right = MeanOfWalks(correlation, correlation);
  EXPECT_NEAR(ShareAt(right.orientation, kOneSigmaLevel), 0.683, 0.02);
  EXPECT_NEAR(ShareAt(right.orientation, kTwoSigmaLevel), 0.954, 0.01);
  EXPECT_NEAR(ShareAt(right.position, kOneSigmaLevel), 0.683, 0.02);
  EXPECT_NEAR(ShareAt(right.position, kTwoSigmaLevel), 0.954, 0.01);
  // Ratios of 40 edges that hang together are a little too small on average.
  EXPECT_NEAR(CorrelationOfSums(right.rotation_sums), 0.7, 0.04);
  EXPECT_NEAR(CorrelationOfSums(right.translation_sums), 0.9, 0.04);
}

TEST(CalibratePoses, SeesCovariancesThatKnowOfNoCorrelation) {
  const PoseCalibration wrong = MeanOfWalks({.rotation = 0.7, .translation = 0.9}, {});
  EXPECT_GT(SigmaFactor(wrong.orientation), 1.7);
  EXPECT_GT(SigmaFactor(wrong.position), 2.0);
}

TEST(CalibratePoses, KnowsNothingWithoutTruthOrCovariances) {
  std::mt19937_64 engine(1);
  Walk walk(engine, 12, {}, {});
  walk.truth[5].reset();  // leaves runs of 4 and 6 edges
  EXPECT_TRUE(std::isnan(CalibratePoses(walk.truth, walk.estimate, walk.edges).rotation_sums));
  EXPECT_FALSE(CalibratePoses(walk.truth, walk.estimate, walk.edges).position.empty());
  walk.estimate.covariances.clear();
  EXPECT_TRUE(CalibratePoses(walk.truth, walk.estimate, walk.edges).position.empty());
}

TEST(CorrelationOfSums, OfIndependentAndOfEqualErrors) {
  EXPECT_EQ(CorrelationOfSums(0.5), 0.0);
  EXPECT_EQ(CorrelationOfSums(1.0), 0.0);
  EXPECT_EQ(CorrelationOfSums(kSummedEdges), 0.999);
  EXPECT_TRUE(std::isnan(CorrelationOfSums(kUnknown)));
}

}  // namespace
}  // namespace calfvo
