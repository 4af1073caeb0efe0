// SPDX-License-Identifier: Apache-2.0
#include "vo/edge_fusion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/geometry/so3.h"
#include "vo/fake_estimator.h"

namespace calfvo {
namespace {

PairEstimate Estimate(const Eigen::Vector3d& turn, const Eigen::Vector3d& translation, double u) {
  return {{ExpSO3(turn), translation}, u, u};
}

TEST(EdgeFusion, OneEstimateIsItself) {
  const PairEstimate only = Estimate({0.1, -0.2, 0.3}, {1, 2, 3}, std::log(0.5));
  const FusedEdge edge = FuseEdge({{only}});
  EXPECT_EQ(edge.windows, 1);
  EXPECT_LT(AngleBetween(edge.first_from_second.rotation, only.first_from_second.rotation), 1e-9);
  EXPECT_EQ(edge.first_from_second.translation, only.first_from_second.translation);
  EXPECT_NEAR(edge.sigma_rotation_rad, 0.5 / std::sqrt(8.0 / M_PI), 1e-12);
  EXPECT_NEAR(edge.sigma_translation_m, 0.5 / (3.0 * std::sqrt(2.0 / M_PI)), 1e-12);
}

TEST(EdgeFusion, WeighsByPrecision) {
  // exp(−u) of 3 and 1: weights 3/4 and 1/4.
  const std::vector<PairEstimate> two = {Estimate({0.0, 0.0, 0.0}, {0, 0, 0}, -std::log(3.0)),
                                         Estimate({0.0, 0.0, 0.04}, {4, 0, 0}, 0.0)};
  const FusedEdge edge = FuseEdge(two);
  EXPECT_NEAR(edge.first_from_second.translation.x(), 1.0, 1e-12);
  EXPECT_NEAR(LogSO3(edge.first_from_second.rotation).z(), 0.01, 1e-5);
}

TEST(EdgeFusion, WrongButUnconfidentDoesNotHurt) {
  const PairEstimate good = Estimate({0.0, 0.1, 0.0}, {0, 0, 1}, -8.0);
  const FusedEdge edge = FuseEdge({{good, Estimate({2.0, -1.0, 0.5}, {50, 50, 50}, 8.0), good}});
  EXPECT_LT(AngleBetween(edge.first_from_second.rotation, good.first_from_second.rotation), 1e-6);
  EXPECT_LT((edge.first_from_second.translation - good.first_from_second.translation).norm(), 1e-4);
}

TEST(EdgeFusion, ExtremeLogVariancesStayFinite) {
  for (const double u : {-1000.0, -300.0, 300.0}) {
    const FusedEdge edge = FuseEdge({{Estimate({0, 0, 0}, {1, 0, 0}, u), Estimate({0, 0, 0}, {3, 0, 0}, u)}});
    EXPECT_NEAR(edge.first_from_second.translation.x(), 2.0, 1e-12) << u;
    EXPECT_TRUE(std::isfinite(edge.sigma_translation_m)) << u;
  }
}

// The fused σ of three independent estimates of equal quality is 1/√3 of theirs.
TEST(EdgeFusion, ErrorFallsAsTheorySays) {
  constexpr double kSigmaR = 0.01;
  constexpr double kSigmaT = 0.05;
  const auto noise = NormalNoise(kSigmaR, kSigmaT);
  double turn_squared = 0.0;
  double shift_squared = 0.0;
  FusedEdge edge;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<PairEstimate> estimates(3);
    for (int w = 0; w < 3; ++w) {
      estimates[static_cast<size_t>(w)].first_from_second = TrueMotion(trial);
      noise(w, trial, estimates[static_cast<size_t>(w)]);
    }
    edge = FuseEdge(estimates);
    const Rigid3 truth = TrueMotion(trial);
    turn_squared += std::pow(AngleBetween(edge.first_from_second.rotation, truth.rotation), 2);
    shift_squared += (edge.first_from_second.translation - truth.translation).squaredNorm();
  }
  const double rms_turn = std::sqrt(turn_squared / (3.0 * kTrials));
  const double rms_shift = std::sqrt(shift_squared / (3.0 * kTrials));
  EXPECT_NEAR(rms_turn, kSigmaR / std::sqrt(3.0), 0.03 * kSigmaR);
  EXPECT_NEAR(rms_shift, kSigmaT / std::sqrt(3.0), 0.03 * kSigmaT);
  EXPECT_NEAR(edge.sigma_rotation_rad, rms_turn, 0.03 * rms_turn);
  EXPECT_NEAR(edge.sigma_translation_m, rms_shift, 0.03 * rms_shift);
}

}  // namespace
}  // namespace calfvo
