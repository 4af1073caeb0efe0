// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/umeyama.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/testing.h"
#include "core/geometry/so3.h"
#include "core/geometry/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using Points = std::vector<Eigen::Vector3d>;

Points RandomPoints(std::mt19937_64& random, size_t count, const Eigen::Vector3d& spread,
                    const Eigen::Vector3d& centre = Eigen::Vector3d::Zero()) {
  Points points(count);
  for (Eigen::Vector3d& point : points) point = centre + RandomVector(random).cwiseProduct(spread);
  return points;
}

Points Mapped(const Similarity3& transform, const Points& points) {
  Points mapped;
  for (const Eigen::Vector3d& point : points) mapped.push_back(transform * point);
  return mapped;
}

double Cost(const Similarity3& transform, const Points& from, const Points& to) {
  double cost = 0.0;
  for (size_t i = 0; i < from.size(); ++i) cost += (to[i] - transform * from[i]).squaredNorm();
  return cost;
}

Similarity3 RandomSimilarity(std::mt19937_64& random, double scale) {
  const Quaternion rotation = RandomRotation(random);
  return {scale, rotation, 5.0 * RandomVector(random)};
}

// No similarity near `fit`, nor the other way round, costs less.
void ExpectBest(const Similarity3& fit, const Points& from, const Points& to, bool with_scale,
                std::mt19937_64& random) {
  const double cost = Cost(fit, from, to);
  std::uniform_real_distribution<double> exponent(-5.0, 0.5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 2000; ++trial) {
    const double step = std::pow(10.0, exponent(random));
    Similarity3 other = fit;
    other.rotation = ExpSO3(step * RandomVector(random)) * other.rotation;
    other.translation += (trial % 2) * step * RandomVector(random);
    if (with_scale && trial % 3 == 0) other.scale *= std::exp(step * normal(random));
    EXPECT_GE(Cost(other, from, to), cost * (1.0 - 1e-12) - 1e-20);
  }
}

SimilarityFit FitPoints(const Points& from, const Points& to, bool with_scale) {
  return FitSimilarity(
      from.size(), [&](size_t i) { return from[i]; }, [&](size_t i) { return to[i]; }, with_scale);
}

void ExpectIdentityOnCentroids(const SimilarityFit& fit, const Eigen::Vector3d& translation) {
  EXPECT_FALSE(fit.unique);
  EXPECT_EQ(fit.transform.scale, 1.0);
  EXPECT_EQ(fit.transform.rotation.coeffs(), Quaternion::Identity().coeffs());
  EXPECT_LT((fit.transform.translation - translation).norm(), 1e-15 * (1.0 + translation.norm()));
}

TEST(FitSimilarity, RecoversAKnownTransform) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const bool with_scale = trial % 2 == 0;
    const bool planar = trial % 3 == 0;
    const Similarity3 truth = RandomSimilarity(random, with_scale ? 0.2 + 0.05 * trial : 1.0);
    const Points from = RandomPoints(random, 4 + static_cast<size_t>(trial), {3, 2, planar ? 0.0 : 1.0});
    const SimilarityFit fit = FitPoints(from, Mapped(truth, from), with_scale);
    EXPECT_TRUE(fit.unique);
    EXPECT_NEAR(fit.transform.scale / truth.scale, 1.0, 1e-13);
    EXPECT_LT(AngleBetween(fit.transform.rotation, truth.rotation), 1e-12);
    EXPECT_LT((fit.transform.translation - truth.translation).norm(), 1e-12 * (1.0 + truth.scale));
  }
}

TEST(FitSimilarity, KeepsItsDigitsFarFromTheOrigin) {
  std::mt19937_64 random(2);
  const Eigen::Vector3d centre(4e6, -3e6, 5e6);  // such as an Earth-centred frame
  const Points from = RandomPoints(random, 1000, {30, 20, 10}, centre);
  const Similarity3 truth = {1.5, RandomRotation(random), {-1e6, 2e6, 3e6}};
  const SimilarityFit fit = FitPoints(from, Mapped(truth, from), true);
  // Coordinates are rounded to 1e-9 m, over an extent of 30 m and a thousand points.
  EXPECT_TRUE(fit.unique);
  EXPECT_NEAR(fit.transform.scale, 1.5, 1e-11);
  EXPECT_LT(AngleBetween(fit.transform.rotation, truth.rotation), 1e-11);
  for (const Eigen::Vector3d& point : from) EXPECT_LT((fit.transform * point - truth * point).norm(), 1e-8);
}

TEST(FitSimilarity, IsBestForNoisyAndForFlippedPoints) {
  std::mt19937_64 random(3);
  for (const bool with_scale : {false, true}) {
    for (const double flip : {1.0, -1.0}) {
      const Points from = RandomPoints(random, 20, {3, 2, 1});
      Points to = from;
      for (Eigen::Vector3d& point : to)
        point = (point.cwiseProduct(Eigen::Vector3d(1, 1, flip)) * 0.7).eval();
      to = Mapped(RandomSimilarity(random, 1.0), to);
      for (Eigen::Vector3d& point : to) point += 0.2 * RandomVector(random);
      const SimilarityFit fit = FitPoints(from, to, with_scale);
      EXPECT_TRUE(fit.unique);
      EXPECT_GT(fit.transform.scale, 0.0);
      EXPECT_TRUE(with_scale || fit.transform.scale == 1.0);
      ExpectBest(fit.transform, from, to, with_scale, random);
    }
  }
}

TEST(FitSimilarity, CollinearPointsTurnLeast) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Vector3d along_from = RandomVector(random).normalized();
    const Eigen::Vector3d along_to = trial == 0   ? Eigen::Vector3d(-along_from)
                                     : trial == 1 ? along_from
                                                  : RandomVector(random).normalized();
    const Eigen::Vector3d from_origin = 100.0 * RandomVector(random);
    Points from;
    Points to;
    for (int i = 0; i < 30; ++i) {
      from.push_back(from_origin + i * along_from);
      to.push_back(Eigen::Vector3d(1, 2, 3) + (2.0 * i) * along_to);
    }
    const SimilarityFit fit = FitPoints(from, to, true);
    EXPECT_FALSE(fit.unique);
    EXPECT_NEAR(fit.transform.scale, 2.0, 1e-12);
    EXPECT_LT(Cost(fit.transform, from, to), 1e-22);
    EXPECT_NEAR(fit.transform.rotation.norm(), 1.0, 1e-15);
    const double angle = std::atan2(along_from.cross(along_to).norm(), along_from.dot(along_to));
    EXPECT_NEAR(RotationAngle(fit.transform.rotation), angle, 1e-7);
  }
}

TEST(FitSimilarity, IsBestWhereOneSetIsALine) {
  std::mt19937_64 random(5);
  const Points line = RandomPoints(random, 20, {3, 0, 0});
  Points cloud = line;
  for (Eigen::Vector3d& point : cloud) point += RandomVector(random);
  for (const auto& [from, to] : {std::pair(line, cloud), std::pair(cloud, line)}) {
    const SimilarityFit fit = FitPoints(from, to, true);
    EXPECT_FALSE(fit.unique);
    ExpectBest(fit.transform, from, to, true, random);
  }
}

TEST(FitSimilarity, CoincidentPointsJoinTheCentroids) {
  const Eigen::Vector3d a(1e6, 0.1, -0.3);
  const Eigen::Vector3d b(0.7, 2, 3);
  for (const bool with_scale : {false, true}) {
    ExpectIdentityOnCentroids(FitPoints(Points{a}, Points{b}, with_scale), b - a);
    ExpectIdentityOnCentroids(FitPoints(Points(7, a), Points(7, b), with_scale), b - a);
    // Only one of the two sets is a single point.
    const Points spread = {{-1, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, -2, 0}};
    ExpectIdentityOnCentroids(FitPoints(Points(4, a), spread, with_scale), -a);
    ExpectIdentityOnCentroids(FitPoints(spread, Points(4, b), with_scale), b);
    // Spread, but with nothing in common.
    const Points other = {{0, 0, 1}, {0, 0, 1}, {0, 0, -1}, {0, 0, -1}};
    ExpectIdentityOnCentroids(FitPoints(spread, other, with_scale), Eigen::Vector3d::Zero());
  }
  // Apart by a unit in the last place of the largest coordinate, which is rounding.
  const Eigen::Vector3d a_next(std::nextafter(a.x(), 2e6), a.y(), a.z());
  EXPECT_FALSE(FitPoints(Points{a, a_next, a}, Points{b, a, b}, true).unique);
  EXPECT_EQ(FitPoints(Points{a, a_next, a}, Points{b, a, b}, true).transform.scale, 1.0);
}

TEST(FitSimilarity, TakesPointsFromWhereTheyLie) {
  std::mt19937_64 random(6);
  std::vector<Rigid3> a(30);
  std::vector<Rigid3> b(40);
  for (Rigid3& pose : a) pose = RandomRigid(random);
  for (Rigid3& pose : b) pose = RandomRigid(random);
  std::vector<std::pair<size_t, size_t>> pairs;
  Points from;
  Points to;
  for (size_t i = 0; i < 10; ++i) {
    pairs.emplace_back(3 * i, 4 * i + 1);
    from.push_back(a[3 * i].translation);
    to.push_back(b[4 * i + 1].translation);
  }
  const SimilarityFit fit = FitSimilarity(
      pairs.size(), [&](size_t i) { return a[pairs[i].first].translation; },
      [&](size_t i) -> const Eigen::Vector3d& { return b[pairs[i].second].translation; }, true);
  const SimilarityFit expected = FitPoints(from, to, true);
  EXPECT_EQ(fit.transform.scale, expected.transform.scale);
  EXPECT_EQ(fit.transform.rotation.coeffs(), expected.transform.rotation.coeffs());
  EXPECT_EQ(fit.transform.translation, expected.transform.translation);
}

TEST(FitSimilarity, RefusesBadInput) {
  const auto error = [](Points from, Points to) { return ErrorFrom([&] { FitPoints(from, to, true); }); };
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  const Eigen::Vector3d bad(0, std::numeric_limits<double>::quiet_NaN(), 0);
  EXPECT_THAT(error({}, {}), HasSubstr("no points"));
  EXPECT_THAT(error({zero, bad}, {zero, zero}), HasSubstr("to map from is not finite"));
  EXPECT_THAT(error({zero, zero}, {bad, zero}), HasSubstr("to map to is not finite"));
  EXPECT_THAT(error({zero, {1e200, 0, 0}}, {zero, zero}), HasSubstr("too large"));
}

}  // namespace
}  // namespace calfvo
