// SPDX-License-Identifier: Apache-2.0
#include "geometry/se3.h"

#include <gtest/gtest.h>

#include <numbers>

#include "geometry/so3.h"
#include "geometry/testing.h"

namespace calfvo {
namespace {

using std::numbers::pi;
using LongMatrix4 = Eigen::Matrix<long double, 4, 4>;

constexpr double kAngles[] = {0.0, 1e-300, 1e-12, 1e-6,      0.0099,     0.0101,
                              0.3, 1.5,    3.0,   pi - 1e-6, pi - 1e-12, pi};

Vector6 RandomTwist(std::mt19937_64& random, double angle) {
  Vector6 twist;
  twist << 3.0 * RandomVector(random), angle * RandomVector(random).normalized();
  return twist;
}

// The series of the matrix exponential, whose terms are below 1e-20 from the fortieth on for ‖A‖ < 10.
LongMatrix4 SeriesExp(const Vector6& twist) {
  LongMatrix4 a = LongMatrix4::Zero();
  a.topLeftCorner<3, 3>() = Hat(twist.tail<3>()).cast<long double>();
  a.topRightCorner<3, 1>() = twist.head<3>().cast<long double>();
  LongMatrix4 term = LongMatrix4::Identity();
  LongMatrix4 sum = term;
  for (int k = 1; k < 80; ++k) {
    term = (term * a / static_cast<long double>(k)).eval();
    sum += term;
  }
  return sum;
}

LongMatrix4 ToMatrix(const Rigid3& rigid) {
  LongMatrix4 matrix = LongMatrix4::Identity();
  matrix.topLeftCorner<3, 3>() = rigid.rotation.toRotationMatrix().cast<long double>();
  matrix.topRightCorner<3, 1>() = rigid.translation.cast<long double>();
  return matrix;
}

double Distance(const Rigid3& a, const Rigid3& b) {
  return AngleBetween(a.rotation, b.rotation) + (a.translation - b.translation).norm();
}

TEST(SE3, ExpIsTheMatrixExponential) {
  std::mt19937_64 random(1);
  for (const double angle : kAngles) {
    for (int trial = 0; trial < 50; ++trial) {
      const Vector6 twist = RandomTwist(random, angle);
      EXPECT_LT((ToMatrix(ExpSE3(twist)) - SeriesExp(twist)).norm(), 2e-14L) << "angle " << angle;
    }
  }
}

TEST(SE3, LogInvertsExp) {
  std::mt19937_64 random(2);
  for (const double angle : kAngles) {
    if (angle == pi) continue;  // there the twist may come back the other way round
    for (int trial = 0; trial < 50; ++trial) {
      const Vector6 twist = RandomTwist(random, angle);
      EXPECT_LT((LogSE3(ExpSE3(twist)) - twist).norm(), 2e-14) << "angle " << angle;
    }
  }
}

TEST(SE3, ExpInvertsLog) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Rigid3 rigid = RandomRigid(random);
    EXPECT_LT(Distance(ExpSE3(LogSE3(rigid)), rigid), 1e-14);
    EXPECT_LE(LogSE3(rigid).tail<3>().norm(), pi * (1.0 + 1e-15));
  }
  const Rigid3 half_turn = {Quaternion(0, 0, -1, 0), {1, 2, 3}};
  EXPECT_LT(Distance(ExpSE3(LogSE3(half_turn)), half_turn), 1e-14);
}

TEST(SE3, OneTwistMakesAOneParameterGroup) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const Vector6 twist = RandomTwist(random, 1.2);
    const Rigid3 product = ExpSE3(0.25 * twist) * ExpSE3(0.75 * twist);
    EXPECT_LT(Distance(product, ExpSE3(twist)), 1e-14);
    EXPECT_LT(Distance(ExpSE3(-twist), ExpSE3(twist).Inverse()), 1e-14);
  }
}

TEST(SE3, RigidMotionsAreAGroup) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 1000; ++trial) {
    const Rigid3 a = RandomRigid(random);
    const Rigid3 b = RandomRigid(random);
    const Rigid3 c = RandomRigid(random);
    const Eigen::Vector3d x = RandomVector(random);
    EXPECT_LT(Distance((a * b) * c, a * (b * c)), 1e-13);
    EXPECT_LT(Distance(a * a.Inverse(), Rigid3{}), 1e-14);
    EXPECT_LT(Distance(a.Inverse() * a, Rigid3{}), 1e-14);
    EXPECT_LT((a * b * x - a * (b * x)).norm(), 1e-13);
  }
}

TEST(SE3, SimilaritiesAreAGroup) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(0.1, 10.0);
  const auto random_similarity = [&] {
    const Rigid3 rigid = RandomRigid(random);
    return Similarity3{uniform(random), rigid.rotation, rigid.translation};
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const Similarity3 a = random_similarity();
    const Similarity3 b = random_similarity();
    const Similarity3 c = random_similarity();
    const Eigen::Vector3d x = RandomVector(random);
    EXPECT_LT((a * b * x - a * (b * x)).norm(), 1e-11);
    EXPECT_LT(((a * b) * c * x - a * (b * c) * x).norm(), 1e-10);
    EXPECT_LT((a.Inverse() * (a * x) - x).norm(), 1e-12);
    EXPECT_LT(((a * a.Inverse()) * x - x).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace calfvo
