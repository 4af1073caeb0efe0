// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/covariance.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "core/geometry/so3.h"
#include "core/geometry/testing.h"

namespace calfvo {
namespace {

Vector6 RandomVector6(std::mt19937_64& random) {
  Vector6 v;
  v.head<3>() = RandomVector(random);
  v.tail<3>() = RandomVector(random);
  return v;
}

double SmallestEigenvalue(const Matrix6& matrix) {
  // Eigen's solver does not compile for unaligned matrices.
  const Eigen::Matrix<double, 6, 6> aligned = matrix;
  return aligned.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
}

// `pose` moved by an error as pose errors are defined, and the error between two poses.
Rigid3 Moved(const Rigid3& pose, const Vector6& error) {
  return {pose.rotation * ExpSO3(error.tail<3>()), pose.translation + error.head<3>()};
}

Vector6 ErrorBetween(const Rigid3& pose, const Rigid3& truth) {
  Vector6 error;
  error << truth.translation - pose.translation, LogSO3(pose.rotation.conjugate() * truth.rotation);
  return error;
}

std::vector<Rigid3> RandomEdges(std::mt19937_64& random, int length) {
  std::vector<Rigid3> edges;
  for (int i = 0; i < length; ++i) {
    const Quaternion turn = ExpSO3(0.4 * RandomVector(random));
    edges.push_back({turn, Eigen::Vector3d(0, 0, 1) + 0.5 * RandomVector(random)});
  }
  return edges;
}

class CovarianceChainOf : public testing::TestWithParam<EdgeCorrelation> {};

TEST_P(CovarianceChainOf, AgreesWithMonteCarlo) {
  std::mt19937_64 random(4);
  const EdgeCorrelation correlation = GetParam();
  const std::vector<Rigid3> edges = RandomEdges(random, 15);
  const auto sigma_t = [](size_t i) { return 0.01 + 0.002 * static_cast<double>(i % 3); };
  const double sigma_r = 1e-3;
  const Rigid3 start = RandomRigid(random);
  Rigid3 end = start;
  CovarianceChain chain(correlation);
  for (size_t i = 0; i < edges.size(); ++i) {
    chain.Add(end, edges[i], sigma_t(i), sigma_r);
    end = end * edges[i];
  }
  const Matrix6& covariance = chain.covariance();

  constexpr int kSamples = 40000;
  Vector6 kept;
  kept << Eigen::Vector3d::Constant(correlation.translation), Eigen::Vector3d::Constant(correlation.rotation);
  const Vector6 renewed = (1.0 - kept.array().square()).sqrt();
  Matrix6 sampled = Matrix6::Zero();
  for (int sample = 0; sample < kSamples; ++sample) {
    Rigid3 pose = start;
    Vector6 unit = RandomVector6(random);
    for (size_t i = 0; i < edges.size(); ++i) {
      if (i > 0) unit = kept.cwiseProduct(unit) + renewed.cwiseProduct(RandomVector6(random));
      Vector6 error;
      error << sigma_t(i) * unit.head<3>(), sigma_r * unit.tail<3>();
      pose = pose * Moved(edges[i], error);
    }
    const Vector6 error = ErrorBetween(end, pose);
    sampled += error * error.transpose() / kSamples;
  }

  // An element of a sampled covariance has variance (Σii Σjj + Σij²) / n. The neglected second order is
  // smaller by the square of the angles, about 1e-4 here.
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      const double product = covariance(i, i) * covariance(j, j);
      const double deviation = std::sqrt((product + covariance(i, j) * covariance(i, j)) / kSamples);
      EXPECT_NEAR(sampled(i, j), covariance(i, j), 5.0 * deviation) << i << ", " << j;
    }
  }
}

TEST_P(CovarianceChainOf, IsSymmetricAndPositive) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    Rigid3 pose = RandomRigid(random);
    CovarianceChain chain(GetParam());
    for (const Rigid3& edge : RandomEdges(random, 200)) {
      chain.Add(pose, edge, 0.01, 2e-3);
      pose = pose * edge;
      EXPECT_EQ(chain.covariance(), chain.covariance().transpose());
      EXPECT_GT(SmallestEigenvalue(chain.covariance()), -1e-15 * chain.covariance().norm());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Correlations, CovarianceChainOf,
                         testing::Values(EdgeCorrelation{}, EdgeCorrelation{0.6, 0.9},
                                         EdgeCorrelation{0.95, 0.3}));

TEST(CovarianceChain, AnAngleAtTheStartIsALeverAtTheEnd) {
  // Known to 1e-3 rad about each axis, then ten metres straight ahead without error: a centimetre to each
  // side, none along.
  CovarianceChain chain({});
  chain.Add({}, {}, 0.0, 1e-3);
  chain.Add({}, {Quaternion::Identity(), {0, 0, 10}}, 0.0, 0.0);
  const Matrix6& covariance = chain.covariance();
  EXPECT_LT((covariance.diagonal().head<3>() - Eigen::Vector3d(1e-4, 1e-4, 0)).norm(), 1e-18);
  EXPECT_LT((covariance.diagonal().tail<3>() - Eigen::Vector3d::Constant(1e-6)).norm(), 1e-18);
  // Turning about +y moves the end along +x, about +x along −y.
  EXPECT_NEAR(covariance(0, 4), 1e-5, 1e-18);
  EXPECT_NEAR(covariance(1, 3), -1e-5, 1e-18);
}

// Ten equal errors of a step straight ahead are one of ten steps.
TEST(CovarianceChain, EqualErrorsAddUp) {
  CovarianceChain covariances({.rotation = 0.0, .translation = 1.0});
  Rigid3 end;
  const Rigid3 ahead{Quaternion::Identity(), {0, 0, 1}};
  for (int i = 0; i < 10; ++i) {
    covariances.Add(end, ahead, 0.02, 0.0);
    end = end * ahead;
  }
  EXPECT_NEAR(std::sqrt(covariances.covariance()(2, 2)), 0.2, 1e-12);
}

}  // namespace
}  // namespace calfvo
