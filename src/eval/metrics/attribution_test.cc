// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "eval/metrics/test_path.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

std::vector<Rigid3> TrueMotions() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Rigid3> motions;
  for (int i = 0; i < 60; ++i) {
    motions.push_back({ExpSO3(0.08 * Eigen::Vector3d(uniform(random), uniform(random), uniform(random))),
                       {0.05 * uniform(random), 0.05 * uniform(random), 0.5 + 0.3 * uniform(random)}});
  }
  return motions;
}

// A change of the i-th true motion.
template <typename Change>
std::vector<Rigid3> Changed(const Change& change) {
  std::vector<Rigid3> motions = TrueMotions();
  for (size_t i = 0; i < motions.size(); ++i) change(i, motions[i]);
  return motions;
}

Evaluation EvaluateAsIs(const Trajectory& estimate) {
  return Evaluate(Path(TrueMotions()), estimate, {.alignment = Alignment::kOrigin});
}

Attribution AttributionOf(const std::vector<Rigid3>& motions) {
  const Trajectory estimate = Path(motions);
  return Attribute(Path(TrueMotions()), estimate, EvaluateAsIs(estimate).pairs);
}

double AteOf(const std::vector<Rigid3>& motions) {
  return EvaluateAsIs(Path(motions)).ate_as_is.rmse;
}

constexpr double kTiny = 1e-9;

void WrongLength(size_t i, Rigid3& motion) {
  motion.translation *= 1.0 + 0.2 * static_cast<double>(i % 4);
}
void WrongDirection(size_t, Rigid3& motion) {
  motion.translation = ExpSO3({0.1, 0.05, 0.0}) * motion.translation;
}
void WrongRotation(size_t, Rigid3& motion) {
  motion.rotation = motion.rotation * ExpSO3({0.0, 0.01, 0.0});
}

TEST(Attribution, OneCauseIsFound) {
  const Attribution rotation = AttributionOf(Changed(WrongRotation));
  EXPECT_GT(rotation.nothing_m, 1.0);
  EXPECT_LT(rotation.rotation_m, kTiny);
  EXPECT_NEAR(rotation.translation_m, rotation.nothing_m, kTiny);
  EXPECT_NEAR(rotation.length_m, rotation.nothing_m, kTiny);
  EXPECT_NEAR(rotation.direction_m, rotation.nothing_m, kTiny);
  EXPECT_EQ(LimitingPart(rotation), "rotation");

  const Attribution direction = AttributionOf(Changed(WrongDirection));
  EXPECT_LT(direction.direction_m, kTiny);
  EXPECT_LT(direction.translation_m, kTiny);
  EXPECT_NEAR(direction.rotation_m, direction.nothing_m, kTiny);
  EXPECT_NEAR(direction.length_m, direction.nothing_m, kTiny);
  EXPECT_EQ(LimitingPart(direction), "direction");

  const Attribution length = AttributionOf(Changed(WrongLength));
  EXPECT_LT(length.length_m, kTiny);
  EXPECT_GT(length.scale_m, 0.01);
  EXPECT_NEAR(length.direction_m, length.nothing_m, kTiny);

  const Attribution scale =
      AttributionOf(Changed([](size_t, Rigid3& motion) { motion.translation *= 1.25; }));
  EXPECT_NEAR(scale.scale, 0.8, kTiny);
  EXPECT_LT(scale.scale_m, kTiny);
  EXPECT_LT(scale.length_m, kTiny);
  EXPECT_EQ(LimitingPart(scale), "scale");
}

// Each number is the ATE of the trajectory with that part made true, as `calfvo eval` measures it.
TEST(Attribution, SeveralCausesAreTakenOneByOne) {
  const auto all = [](size_t i, Rigid3& motion) {
    WrongLength(i, motion);
    WrongDirection(i, motion);
    WrongRotation(i, motion);
  };
  const Attribution found = AttributionOf(Changed(all));
  EXPECT_NEAR(found.nothing_m, AteOf(Changed(all)), kTiny);
  EXPECT_NEAR(found.rotation_m, AteOf(Changed([](size_t i, Rigid3& motion) {
                WrongLength(i, motion);
                WrongDirection(i, motion);
              })),
              kTiny);
  EXPECT_NEAR(found.length_m, AteOf(Changed([](size_t i, Rigid3& motion) {
                WrongDirection(i, motion);
                WrongRotation(i, motion);
              })),
              kTiny);
  EXPECT_NEAR(found.direction_m, AteOf(Changed([](size_t i, Rigid3& motion) {
                WrongLength(i, motion);
                WrongRotation(i, motion);
              })),
              kTiny);
  EXPECT_NEAR(found.translation_m, AteOf(Changed(WrongRotation)), kTiny);
}

TEST(Attribution, TheFactorIsTheBest) {
  const auto scaled = [](double factor) {
    return AteOf(Changed([&](size_t i, Rigid3& motion) {
      WrongLength(i, motion);
      WrongRotation(i, motion);
      motion.translation *= factor;
    }));
  };
  const Attribution found = AttributionOf(Changed([](size_t i, Rigid3& motion) {
    WrongLength(i, motion);
    WrongRotation(i, motion);
  }));
  EXPECT_NEAR(found.scale_m, scaled(found.scale), kTiny);
  for (const double other : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
    EXPECT_GT(scaled(found.scale * other), found.scale_m) << other;
  }
}

TEST(Attribution, StandingCamerasHaveNoDirection) {
  const std::vector<Rigid3> still(5);
  const Trajectory truth = Path(still);
  const Trajectory estimate = Path(Changed(WrongLength));
  const std::vector<PosePair> pairs = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  const Attribution moves = Attribute(truth, estimate, pairs);
  EXPECT_EQ(moves.length_m, 0.0);
  EXPECT_EQ(moves.direction_m, moves.nothing_m);
  const Attribution stands = Attribute(truth, truth, pairs);
  EXPECT_EQ(stands.nothing_m, 0.0);
  EXPECT_EQ(stands.scale, 1.0);
  EXPECT_EQ(LimitingPart(stands), "nothing");
  EXPECT_THAT(AttributionText(stands), HasSubstr("No part alone"));
  EXPECT_EQ(Attribute(truth, truth, {{{2, 2}}}).nothing_m, 0.0);
}

TEST(Attribution, TextNamesTheLimit) {
  const std::string text = AttributionText(AttributionOf(Changed(WrongRotation)));
  EXPECT_THAT(text, HasSubstr("What limits this estimate: rotation."));
  EXPECT_THAT(text, HasSubstr("-100 %"));
}

}  // namespace
}  // namespace calfvo
