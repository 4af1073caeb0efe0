// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/rotation_mean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/testing.h"
#include "core/geometry/procrustes.h"
#include "core/geometry/so3.h"
#include "core/geometry/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

double Cost(const Quaternion& mean, const std::vector<Quaternion>& rotations,
            const std::vector<double>& weights) {
  double cost = 0.0;
  for (size_t i = 0; i < rotations.size(); ++i) {
    cost += weights[i] * (mean.toRotationMatrix() - rotations[i].toRotationMatrix()).squaredNorm();
  }
  return cost;
}

struct Sample {
  std::vector<Quaternion> rotations;
  std::vector<double> weights;
};

// `size` rotations about `spread` radians around a random one, with random signs and weights.
Sample RandomSample(std::mt19937_64& random, size_t size, double spread) {
  std::uniform_real_distribution<double> uniform;
  const Quaternion centre = RandomRotation(random);
  Sample sample;
  for (size_t i = 0; i < size; ++i) {
    const Quaternion q = centre * ExpSO3(spread * RandomVector(random));
    sample.rotations.push_back(uniform(random) < 0.5 ? q : Quaternion(-q.coeffs()));
    sample.weights.push_back(uniform(random));
  }
  return sample;
}

TEST(ChordalMean, AgreesWithTheNearestRotationToTheMeanMatrix) {
  std::mt19937_64 random(1);
  for (const double spread : {1e-8, 1e-3, 0.3, 1.0}) {
    for (int trial = 0; trial < 200; ++trial) {
      const auto [rotations, weights] = RandomSample(random, 2 + static_cast<size_t>(trial % 9), spread);
      Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
      for (size_t i = 0; i < rotations.size(); ++i) sum += weights[i] * rotations[i].toRotationMatrix();
      const RotationFit fit = FitRotation(sum);
      // Both are ill-conditioned in the same place; near it they need not agree to so many digits.
      if (fit.singular_values(1) + fit.singular_values(2) < 1e-3 * fit.singular_values(0)) continue;
      const Quaternion mean = ChordalMean(rotations, weights);
      EXPECT_LT((mean.toRotationMatrix() - fit.rotation).norm(), 1e-10);
      EXPECT_NEAR(mean.norm(), 1.0, 1e-15);
      EXPECT_GE(mean.w(), 0.0);
    }
  }
}

TEST(ChordalMean, NoOtherRotationCostsLess) {
  std::mt19937_64 random(2);
  for (const double spread : {0.1, 1.0, 3.0}) {
    const auto [rotations, weights] = RandomSample(random, 6, spread);
    const Quaternion mean = ChordalMean(rotations, weights);
    const double cost = Cost(mean, rotations, weights);
    for (int trial = 0; trial < 2000; ++trial) {
      const double angle = std::pow(10.0, -5.0 * trial / 2000.0);
      const Quaternion other = mean * ExpSO3(3.0 * angle * RandomVector(random).normalized());
      EXPECT_GE(Cost(other, rotations, weights), cost - 1e-13);
    }
  }
}

TEST(ChordalMean, OfOneRotationIsThatRotation) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Quaternion q = RandomRotation(random);
    for (const double weight : {1.0, 1e-300, 1e300}) {
      const Quaternion mean = ChordalMean({{q}}, {{weight}});
      EXPECT_LT((mean.coeffs() - CanonicalSign(q).coeffs()).lpNorm<Eigen::Infinity>(), 1e-15);
    }
  }
}

TEST(ChordalMean, QuaternionsOfOppositeSignAreOneRotation) {
  std::mt19937_64 random(4);
  const Quaternion q = RandomRotation(random);
  const Quaternion minus_q(-q.coeffs());
  EXPECT_LT(AngleBetween(ChordalMean({{q, minus_q}}, {{1.0, 1.0}}), q), 1e-15);
  const auto [rotations, weights] = RandomSample(random, 5, 0.5);
  std::vector<Quaternion> flipped = rotations;
  flipped[2] = Quaternion(-flipped[2].coeffs());
  EXPECT_EQ(ChordalMean(flipped, weights).coeffs(), ChordalMean(rotations, weights).coeffs());
}

TEST(ChordalMean, WeightsEnterLinearly) {
  std::mt19937_64 random(5);
  const Quaternion a = RandomRotation(random);
  const Quaternion b = a * ExpSO3(0.4 * RandomVector(random).normalized());
  // A weight of three is the same as three copies.
  const Quaternion weighted = ChordalMean({{a, b}}, {{3.0, 1.0}});
  const Quaternion copied = ChordalMean({{a, a, a, b}}, {{1.0, 1.0, 1.0, 1.0}});
  EXPECT_LT(AngleBetween(weighted, copied), 1e-15);
  // Equal weights give the middle, and a zero weight takes its rotation out, whatever it holds.
  EXPECT_NEAR(AngleBetween(ChordalMean({{a, b}}, {{1.0, 1.0}}), a), 0.2, 1e-14);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_LT(AngleBetween(ChordalMean({{a, Quaternion(nan, nan, nan, nan)}}, {{1.0, 0.0}}), a), 1e-15);
}

TEST(ChordalMean, OfOppositeRotationsIsOneOfTheBest) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const Quaternion a = RandomRotation(random);
    const Quaternion b = a * ExpSO3(std::numbers::pi * RandomVector(random).normalized());
    const std::vector<Quaternion> rotations = {a, b};
    const std::vector<double> weights = {1.0, 1.0};
    const Quaternion mean = ChordalMean(rotations, weights);
    EXPECT_NEAR(mean.norm(), 1.0, 1e-15);
    EXPECT_GE(mean.w(), 0.0);
    // ‖a − b‖² = 8, which any rotation on the way from a to b splits between the two.
    EXPECT_NEAR(Cost(mean, rotations, weights), 8.0, 1e-13);
    EXPECT_EQ(ChordalMean(rotations, weights).coeffs(), mean.coeffs());
  }
}

TEST(ChordalMean, RefusesBadInput) {
  const Quaternion identity = Quaternion::Identity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto error = [](std::vector<Quaternion> rotations, std::vector<double> weights) {
    return ErrorFrom([&] { ChordalMean(rotations, weights); });
  };
  EXPECT_THAT(error({}, {}), HasSubstr("none of the 0 weights"));
  EXPECT_THAT(error({identity}, {0.0}), HasSubstr("none of the 1 weights"));
  EXPECT_THAT(error({identity}, {1.0, 1.0}), HasSubstr("1 rotations but 2 weights"));
  EXPECT_THAT(error({identity, identity}, {1.0, -0.5}), HasSubstr("weight 1 is -0.5"));
  EXPECT_THAT(error({identity, identity}, {nan, 1.0}), HasSubstr("weight 0 is nan"));
  EXPECT_THAT(error({identity}, {std::numeric_limits<double>::infinity()}), HasSubstr("weight 0 is inf"));
  EXPECT_THAT(error({identity, Quaternion(nan, 0, 0, 0)}, {1.0, 1.0}), HasSubstr("rotation 1 is not finite"));
}

}  // namespace
}  // namespace calfvo
