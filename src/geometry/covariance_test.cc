// SPDX-License-Identifier: Apache-2.0
#include "geometry/covariance.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "geometry/so3.h"
#include "geometry/testing.h"

namespace calfvo {
namespace {

Vector6 RandomVector6(std::mt19937_64& random) {
  Vector6 v;
  v.head<3>() = RandomVector(random);
  v.tail<3>() = RandomVector(random);
  return v;
}

// Full, with every element correlated: standard deviations of about `sigma_t` and `sigma_r`.
Matrix6 RandomCovariance(std::mt19937_64& random, double sigma_t, double sigma_r) {
  Matrix6 root;
  for (int i = 0; i < 6; ++i) root.col(i) = RandomVector6(random) / std::sqrt(6.0);
  root.topRows<3>() *= sigma_t;
  root.bottomRows<3>() *= sigma_r;
  return root * root.transpose();
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

struct Chain {
  Rigid3 start;
  Matrix6 start_covariance;
  std::vector<Rigid3> edges;
  std::vector<Matrix6> edge_covariances;
};

Chain RandomChain(std::mt19937_64& random, int length) {
  Chain chain = {RandomRigid(random), RandomCovariance(random, 0.02, 1e-3), {}, {}};
  for (int i = 0; i < length; ++i) {
    const Quaternion turn = ExpSO3(0.4 * RandomVector(random));
    chain.edges.push_back({turn, Eigen::Vector3d(0, 0, 1) + 0.5 * RandomVector(random)});
    chain.edge_covariances.push_back(RandomCovariance(random, 0.01, 2e-3));
  }
  return chain;
}

TEST(ComposeCovariance, AgreesWithMonteCarloAlongAChain) {
  std::mt19937_64 random(1);
  const Chain chain = RandomChain(random, 20);

  Rigid3 end = chain.start;
  Matrix6 covariance = chain.start_covariance;
  for (size_t i = 0; i < chain.edges.size(); ++i) {
    covariance = ComposeCovariance(covariance, end, chain.edges[i], chain.edge_covariances[i]);
    end = end * chain.edges[i];
  }

  constexpr int kSamples = 40000;
  const Matrix6 start_root = chain.start_covariance.llt().matrixL();
  std::vector<Matrix6> roots;
  for (const Matrix6& edge : chain.edge_covariances) roots.push_back(edge.llt().matrixL());
  Matrix6 sampled = Matrix6::Zero();
  for (int sample = 0; sample < kSamples; ++sample) {
    Rigid3 pose = Moved(chain.start, start_root * RandomVector6(random));
    for (size_t i = 0; i < chain.edges.size(); ++i) {
      pose = pose * Moved(chain.edges[i], roots[i] * RandomVector6(random));
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

TEST(ComposeCovariance, IsSymmetricAndPositive) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const Chain chain = RandomChain(random, 200);
    Rigid3 pose = chain.start;
    Matrix6 covariance = Matrix6::Zero();
    for (size_t i = 0; i < chain.edges.size(); ++i) {
      covariance = ComposeCovariance(covariance, pose, chain.edges[i], chain.edge_covariances[i]);
      pose = pose * chain.edges[i];
      EXPECT_EQ(covariance, covariance.transpose());
      EXPECT_GT(SmallestEigenvalue(covariance), -1e-15 * covariance.norm());
    }
  }
}

TEST(ComposeCovariance, AnAngleAtTheStartIsALeverAtTheEnd) {
  // Known to 1e-3 rad about each axis, then ten metres straight ahead without error: a centimetre to each
  // side, none along.
  const Rigid3 ahead = {Quaternion::Identity(), {0, 0, 10}};
  const Matrix6 covariance =
      ComposeCovariance(IsotropicCovariance(0.0, 1e-6), Rigid3{}, ahead, Matrix6::Zero());
  EXPECT_LT((covariance.diagonal().head<3>() - Eigen::Vector3d(1e-4, 1e-4, 0)).norm(), 1e-18);
  EXPECT_LT((covariance.diagonal().tail<3>() - Eigen::Vector3d::Constant(1e-6)).norm(), 1e-18);
  // Turning about +y moves the end along +x, about +x along −y.
  EXPECT_NEAR(covariance(0, 4), 1e-5, 1e-18);
  EXPECT_NEAR(covariance(1, 3), -1e-5, 1e-18);
}

TEST(ComposeCovariance, FromCertaintyTheEdgeIsTurnedIntoTheWorld) {
  std::mt19937_64 random(3);
  const Rigid3 world_from_a = RandomRigid(random);
  const Matrix6 edge = RandomCovariance(random, 0.1, 0.01);
  const Matrix6 covariance = ComposeCovariance(Matrix6::Zero(), world_from_a, RandomRigid(random), edge);
  const Eigen::Matrix3d r = world_from_a.rotation.toRotationMatrix();
  EXPECT_LT((covariance.topLeftCorner<3, 3>() - r * edge.topLeftCorner<3, 3>() * r.transpose()).norm(),
            1e-16);
  EXPECT_LT((covariance.topRightCorner<3, 3>() - r * edge.topRightCorner<3, 3>()).norm(), 1e-16);
  EXPECT_LT((covariance.bottomRightCorner<3, 3>() - edge.bottomRightCorner<3, 3>()).norm(), 1e-16);
}

TEST(IsotropicCovariance, PutsTranslationFirst) {
  Matrix6 expected = Matrix6::Zero();
  expected.diagonal() << 4.0, 4.0, 4.0, 9.0, 9.0, 9.0;
  EXPECT_EQ(IsotropicCovariance(4.0, 9.0), expected);
}

TEST(CovarianceChain, AgreesWithMonteCarloOfErrorsThatGoOn) {
  std::mt19937_64 random(4);
  const StepCorrelation correlation{.rotation = 0.6, .translation = 0.9};
  const Chain chain = RandomChain(random, 15);
  const auto sigma_t = [](size_t i) { return 0.01 + 0.002 * static_cast<double>(i % 3); };
  const double sigma_r = 1e-3;
  Rigid3 end;
  CovarianceChain covariances(correlation);
  for (size_t i = 0; i < chain.edges.size(); ++i) {
    covariances.Add(end, chain.edges[i], sigma_t(i), sigma_r);
    end = end * chain.edges[i];
  }
  const Matrix6& covariance = covariances.covariance();
  EXPECT_EQ(covariance, covariance.transpose());

  constexpr int kSamples = 40000;
  Vector6 kept;
  kept << Eigen::Vector3d::Constant(correlation.translation), Eigen::Vector3d::Constant(correlation.rotation);
  const Vector6 renewed = (1.0 - kept.array().square()).sqrt();
  Matrix6 sampled = Matrix6::Zero();
  for (int sample = 0; sample < kSamples; ++sample) {
    Rigid3 pose;
    Vector6 unit = RandomVector6(random);
    for (size_t i = 0; i < chain.edges.size(); ++i) {
      if (i > 0) unit = kept.cwiseProduct(unit) + renewed.cwiseProduct(RandomVector6(random));
      Vector6 error;
      error << sigma_t(i) * unit.head<3>(), sigma_r * unit.tail<3>();
      pose = pose * Moved(chain.edges[i], error);
    }
    const Vector6 error = ErrorBetween(end, pose);
    sampled += error * error.transpose() / kSamples;
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      const double product = covariance(i, i) * covariance(j, j);
      const double deviation = std::sqrt((product + covariance(i, j) * covariance(i, j)) / kSamples);
      EXPECT_NEAR(sampled(i, j), covariance(i, j), 5.0 * deviation) << i << ", " << j;
    }
  }
}

TEST(CovarianceChain, IsTheSumOfStepsWithoutCorrelation) {
  std::mt19937_64 random(6);
  const Chain chain = RandomChain(random, 50);
  Rigid3 end;
  Matrix6 expected = Matrix6::Zero();
  CovarianceChain covariances({});
  for (const Rigid3& edge : chain.edges) {
    expected = ComposeCovariance(expected, end, edge, IsotropicCovariance(1e-4, 1e-6));
    covariances.Add(end, edge, 1e-2, 1e-3);
    end = end * edge;
  }
  EXPECT_LT((covariances.covariance() - expected).norm(), 1e-12 * expected.norm());
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
