// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/procrustes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "core/base/testing.h"
#include "core/geometry/so3.h"
#include "core/geometry/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

void ExpectRotation(const Eigen::Matrix3d& r, double tolerance = 1e-14) {
  EXPECT_LT((r * r.transpose() - Eigen::Matrix3d::Identity()).norm(), tolerance) << r;
  EXPECT_NEAR(r.determinant(), 1.0, tolerance) << r;
}

// No rotation, be it near the answer or anywhere, is nearer to `matrix` by more than `slack`.
void ExpectNearest(const Eigen::Matrix3d& matrix, std::mt19937_64& random, int trials, double slack = 1e-13) {
  const Eigen::Matrix3d best = NearestRotation(matrix);
  ExpectRotation(best);
  const double gain = (best.transpose() * matrix).trace();
  std::uniform_real_distribution<double> exponent(-6.0, 0.5);
  for (int trial = 0; trial < trials; ++trial) {
    const double angle = std::pow(10.0, exponent(random));
    const Eigen::Matrix3d other = best * ExpSO3(angle * RandomVector(random).normalized()).toRotationMatrix();
    EXPECT_LE((other.transpose() * matrix).trace(), gain + slack * matrix.norm()) << matrix;
  }
}

Eigen::Matrix3d WithSingularValues(const Eigen::Vector3d& values, std::mt19937_64& random) {
  const Eigen::Matrix3d u = RandomRotation(random).toRotationMatrix();
  const Eigen::Matrix3d v = RandomRotation(random).toRotationMatrix();
  return u * values.asDiagonal() * v.transpose();
}

TEST(NearestRotation, BeatsTenThousandOthers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 5; ++i) ExpectNearest(RandomMatrix3(random), random, 10000);
}

TEST(NearestRotation, BeatsOthersForEveryKindOfMatrix) {
  std::mt19937_64 random(2);
  const Eigen::Vector3d kinds[] = {{3, 2, 1},  {3, 2, -1},      {1, 1, 1},       {1, 1, -1},
                                   {2, 1, -1}, {1, 1, 0},       {2, 1, 0},       {1, 0, 0},
                                   {5, 5, 1},  {1, 1e-9, 1e-9}, {1, 1e-9, -1e-9}};
  for (const Eigen::Vector3d& kind : kinds) {
    for (int i = 0; i < 20; ++i) ExpectNearest(WithSingularValues(kind, random), random, 200);
  }
}

TEST(NearestRotation, LeavesRotationsAlone) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Matrix3d r = RandomRotation(random).toRotationMatrix();
    EXPECT_LT((NearestRotation(r) - r).norm(), 4e-15);
    EXPECT_LT((NearestRotation(Eigen::Matrix3d(1e-300 * r)) - r).norm(), 4e-15);
    EXPECT_LT((NearestRotation(Eigen::Matrix3d(1e300 * r)) - r).norm(), 4e-15);
  }
}

TEST(NearestRotation, RecoversTheRotationOfAPolarDecomposition) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Matrix3d r = RandomRotation(random).toRotationMatrix();
    const Eigen::Matrix3d root = RandomMatrix3(random);
    const Eigen::Matrix3d stretch = root * root.transpose() + 0.1 * Eigen::Matrix3d::Identity();
    EXPECT_LT((NearestRotation(Eigen::Matrix3d(r * stretch)) - r).norm(), 1e-12);
  }
}

TEST(FitRotation, SignsTheLastSingularValueAndReportsUniqueness) {
  std::mt19937_64 random(5);
  const struct {
    Eigen::Vector3d values;
    bool unique;
  } kCases[] = {{{3, 2, 1}, true},   {{3, 2, -1}, true}, {{1, 1, 1}, true},   {{2, 1, 0}, true},
                {{1, 1, -1}, false}, {{1, 0, 0}, false}, {{2, 1, -1}, false}, {{1, 1e-9, 0}, true}};
  for (const auto& [values, unique] : kCases) {
    // Rounding may leave σ₂ + d·σ₃ at a few units in the last place where it should vanish.
    const RotationFit fit = FitRotation(WithSingularValues(values, random), 1e-14);
    EXPECT_EQ(fit.unique, unique) << values.transpose();
    EXPECT_LT((fit.singular_values - values).norm(), 1e-14) << values.transpose();
  }
}

TEST(NearestRotation, RankOneTurnsLeast) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Vector3d u = RandomVector(random).normalized();
    const Eigen::Vector3d v = RandomVector(random).normalized();
    const Eigen::Matrix3d r = FitRotation(u * v.transpose(), 1e-14).rotation;
    ExpectRotation(r);
    EXPECT_LT((r * v - u).norm(), 1e-14);
    EXPECT_LT((r - MinimalRotation(v, u).toRotationMatrix()).norm(), 1e-13);
  }
  // The same matrix gives the same bits.
  const Eigen::Matrix3d exact = Eigen::Vector3d::UnitX() * Eigen::RowVector3d::UnitY();
  EXPECT_EQ(NearestRotation(exact), NearestRotation(exact));
  EXPECT_LT((NearestRotation(exact) * Eigen::Vector3d::UnitZ() - Eigen::Vector3d::UnitZ()).norm(), 1e-15);
}

TEST(NearestRotation, ZeroGivesIdentity) {
  EXPECT_EQ(NearestRotation(Eigen::Matrix3d(Eigen::Matrix3d::Zero())), Eigen::Matrix3d::Identity());
  EXPECT_EQ(NearestRotation(Eigen::Matrix3f(-Eigen::Matrix3f::Zero())), Eigen::Matrix3f::Identity());
  EXPECT_FALSE(FitRotation(Eigen::Matrix3d::Zero()).unique);
}

TEST(NearestRotation, RefusesWhatIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Eigen::Matrix3d matrix = Eigen::Matrix3d::Identity();
    matrix(1, 2) = bad;
    EXPECT_THAT(ErrorFrom([&] { NearestRotation(matrix); }), HasSubstr("element (1, 2)"));
    const Eigen::Matrix3f matrix_f = matrix.cast<float>();
    EXPECT_THAT(ErrorFrom([&] { NearestRotation(matrix_f); }), HasSubstr("element (1, 2)"));
  }
}

TEST(NearestRotation, FloatAgreesWithDouble) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Matrix3f matrix = RandomMatrix3(random).cast<float>();
    const Eigen::Matrix3f rotation = NearestRotation(matrix);
    const Eigen::Matrix3d exact = NearestRotation(Eigen::Matrix3d(matrix.cast<double>()));
    EXPECT_LT((rotation.cast<double>() - exact).norm(), 2e-7);
    ExpectRotation(rotation.cast<double>(), 1e-6);
  }
}

}  // namespace
}  // namespace calfvo
