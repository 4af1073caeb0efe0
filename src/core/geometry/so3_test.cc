// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/so3.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "core/geometry/testing.h"

namespace calfvo {
namespace {

using std::numbers::pi;
using LongVector = Eigen::Matrix<long double, 3, 1>;

// From nothing to π, with the places where formulas change and where they are tempted to lose digits.
const std::vector<double> kTurnAngles = {
    1e-300, 1e-200, 1e-100, 1e-20, 1e-12, 0.99e-8,   1.01e-8,   1e-6,      1e-4,       0.0099,
    0.0101, 0.1,    1.0,    2.0,   3.0,   pi - 1e-3, pi - 1e-6, pi - 1e-9, pi - 1e-12, pi - 1e-15};

LongVector ExactLog(const Quaternion& q) {
  const LongVector v = q.vec().cast<long double>() * (q.w() < 0.0 ? -1.0L : 1.0L);
  const long double norm = std::hypot(v.x(), v.y(), v.z());
  return v / norm * (2.0L * std::atan2(norm, std::abs(static_cast<long double>(q.w()))));
}

Quaternion Negated(const Quaternion& q) {
  return {-q.w(), -q.x(), -q.y(), -q.z()};
}

TEST(SO3, HatIsTheCrossProduct) {
  std::mt19937_64 random(1);
  const Eigen::Vector3d a = RandomVector(random);
  const Eigen::Vector3d b = RandomVector(random);
  EXPECT_LT((Hat(a) * b - a.cross(b)).norm(), 1e-15);
  EXPECT_EQ(Hat(a), -Hat(a).transpose());
}

TEST(SO3, ExpOfKnownRotations) {
  EXPECT_EQ(ExpSO3(Eigen::Vector3d::Zero()).coeffs(), Quaternion::Identity().coeffs());
  // A quarter turn about z takes x to y.
  const Quaternion quarter = ExpSO3({0.0, 0.0, pi / 2});
  EXPECT_LT((quarter * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm(), 1e-15);
}

TEST(SO3, ExpAgreesWithLongDouble) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.0, 10.0);
  for (int trial = 0; trial < 10000; ++trial) {
    const Eigen::Vector3d v = uniform(random) * RandomVector(random).normalized();
    const LongVector exact = v.cast<long double>();
    const long double angle = exact.norm();
    const LongVector vec = std::sin(angle / 2) / angle * exact;
    const Quaternion q = ExpSO3(v);
    EXPECT_NEAR(q.w(), static_cast<double>(std::cos(angle / 2)), 2e-15);
    EXPECT_LT((q.vec().cast<long double>() - vec).norm(), 2e-15L);
    EXPECT_NEAR(q.norm(), 1.0, 1e-15);
  }
}

TEST(SO3, LogInvertsExpToTheLastDigits) {
  std::mt19937_64 random(3);
  for (const double angle : kTurnAngles) {
    for (int trial = 0; trial < 100; ++trial) {
      const Eigen::Vector3d axis = RandomVector(random).normalized();
      const Eigen::Vector3d error = LogSO3(ExpSO3(angle * axis)) / angle - axis;
      EXPECT_LT(error.norm(), 2e-15) << "angle " << angle;
    }
  }
}

TEST(SO3, LogAgreesWithLongDouble) {
  std::mt19937_64 random(4);
  for (const double angle : kTurnAngles) {
    for (int trial = 0; trial < 100; ++trial) {
      const Quaternion q = ExpSO3(angle * RandomVector(random).normalized());
      const LongVector exact = ExactLog(q);
      EXPECT_LT((LogSO3(q).cast<long double>() - exact).norm() / angle, 1e-15L) << "angle " << angle;
    }
  }
  for (int trial = 0; trial < 10000; ++trial) {
    const Quaternion q = RandomRotation(random);
    EXPECT_LT((LogSO3(q).cast<long double>() - ExactLog(q)).norm(), 2e-15L);
    EXPECT_LE(LogSO3(q).norm(), pi * (1.0 + 1e-15));
  }
}

TEST(SO3, LogDoesNotDependOnTheSignOfTheQuaternion) {
  std::mt19937_64 random(5);
  std::vector<Quaternion> rotations = {{0, 1, 0, 0},      {0, 0, -1, 0},    {-0.0, 0, 0, 1},
                                       {0, -0.6, 0.8, 0}, {1e-17, 0, 1, 0}, {-1e-300, 1, 0, 0},
                                       {-1, 0, 0, 0},     {1, 1e-300, 0, 0}};
  for (int i = 0; i < 100; ++i) rotations.push_back(RandomRotation(random));
  for (const Quaternion& q : rotations) {
    EXPECT_EQ(LogSO3(q), LogSO3(Negated(q)));
    EXPECT_EQ(RotationAngle(q), RotationAngle(Negated(q)));
    EXPECT_EQ(CanonicalSign(q).coeffs(), CanonicalSign(Negated(q)).coeffs());
  }
  EXPECT_EQ(LogSO3({0, -1, 0, 0}), Eigen::Vector3d(pi, 0, 0));
  EXPECT_EQ(LogSO3({-1, 0, 0, 0}).norm(), 0.0);
  EXPECT_EQ(LogSO3({0, 0, 0, 0}).norm(), 0.0);
}

TEST(SO3, LogTakesTheShortWayRound) {
  const Eigen::Vector3d axis = Eigen::Vector3d(1, -2, 3).normalized();
  EXPECT_LT((LogSO3(ExpSO3(4.0 * axis)) - (4.0 - 2.0 * pi) * axis).norm(), 1e-14);
  EXPECT_LT((LogSO3(ExpSO3((2.0 * pi + 0.5) * axis)) - 0.5 * axis).norm(), 1e-14);
}

TEST(SO3, AnglesKeepTheirDigits) {
  std::mt19937_64 random(6);
  for (const double angle : kTurnAngles) {
    const Eigen::Vector3d axis = RandomVector(random).normalized();
    EXPECT_NEAR(RotationAngle(ExpSO3(angle * axis)) / angle, 1.0, 2e-15);
    const Quaternion a = RandomRotation(random);
    const Quaternion b = a * ExpSO3(angle * axis);
    EXPECT_NEAR(AngleBetween(a, b), angle, 2e-15);
    EXPECT_EQ(AngleBetween(a, b), AngleBetween(b, a));
    EXPECT_EQ(AngleBetween(a, b), AngleBetween(a, Negated(b)));
    EXPECT_EQ(AngleBetween(a, a), 0.0);
    EXPECT_EQ(AngleBetween(a, Negated(a)), 0.0);
  }
}

TEST(SO3, MinimalRotationTakesOneDirectionToTheOther) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Vector3d from = RandomVector(random).normalized();
    for (const double angle : kTurnAngles) {
      const Eigen::Vector3d to = ExpSO3(angle * from.unitOrthogonal()) * from;
      const Quaternion rotation = MinimalRotation(from, to);
      EXPECT_LT((rotation * from - to).norm(), 2e-15);
      EXPECT_NEAR(rotation.norm(), 1.0, 1e-15);
      EXPECT_NEAR(RotationAngle(rotation), angle, 3e-8);  // near π, the axis is known to √ε only
    }
    const Eigen::Vector3d to = RandomVector(random).normalized();
    const Quaternion rotation = MinimalRotation(from, to);
    EXPECT_LT((rotation * from - to).norm(), 2e-15);
    EXPECT_NEAR(RotationAngle(rotation), std::atan2(from.cross(to).norm(), from.dot(to)), 1e-13);
  }
}

}  // namespace
}  // namespace calfvo
