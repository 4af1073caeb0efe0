// SPDX-License-Identifier: Apache-2.0
#include "nn/model/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

HeadConfig Config(RotationHead rotation, bool confidence = true) {
  HeadConfig config;
  config.rotation = rotation;
  config.confidence = confidence;
  return config;
}

TEST(InterpretPair, EachHeadGivesItsKnownRotation) {
  // A quarter turn about z, written for each head, the unconstrained ones out of scale.
  const float h = std::sqrt(0.5F);
  const struct {
    RotationHead head;
    std::vector<float> values;
  } cases[] = {
      {RotationHead::kProcrustes, {0, -3, 0, 3, 0, 0, 0, 0, 3}},
      {RotationHead::kGramSchmidt, {0, 2, 0, -5, 1, 0}},
      {RotationHead::kQuaternion, {-4 * h, 0, 0, -4 * h}},
      {RotationHead::kEuler, {0, 0, static_cast<float>(M_PI_2)}},
  };
  for (const auto& test : cases) {
    std::vector<float> values = test.values;
    values.insert(values.end(), {1.0F, 2.0F, 3.0F, -4.0F, 5.0F});
    const PairEstimate estimate = InterpretPair(Config(test.head), values);
    const Eigen::Vector3d turned = estimate.first_from_second.rotation * Eigen::Vector3d::UnitX();
    EXPECT_LT((turned - Eigen::Vector3d::UnitY()).norm(), 1e-6);
    EXPECT_EQ(estimate.first_from_second.translation, Eigen::Vector3d(1, 2, 3));
    EXPECT_EQ(estimate.u_rotation, -4.0);
    EXPECT_EQ(estimate.u_translation, 5.0);
  }
}

TEST(InterpretPair, ScalesTranslationAndShiftsVariance) {
  HeadConfig config = Config(RotationHead::kEuler);
  config.translation_mean = {0.5, 0.0, 0.0};
  config.translation_std = {2.0, 1.0, 1.0};
  config.log_variance_shift = {1.0, -1.0};
  const PairEstimate estimate = InterpretPair(config, std::vector<float>{0, 0, 0, 1, 1, 1, 0, 0});
  EXPECT_EQ(estimate.first_from_second.translation, Eigen::Vector3d(2.5, 1.0, 1.0));
  EXPECT_EQ(estimate.u_rotation, 1.0);
  EXPECT_EQ(estimate.u_translation, -1.0);
}

TEST(InterpretPair, BrokenOutputsAreErrors) {
  const std::vector<float> nan = {0, 0, 0, NAN, 0, 0, 0, 0};
  EXPECT_THAT(ErrorFrom([&] { InterpretPair(Config(RotationHead::kEuler), nan); }),
              HasSubstr("output 3 is nan"));
  const std::vector<float> unsure = {0, 0, 0, 0, 0, 0, 0, 500};
  EXPECT_THAT(ErrorFrom([&] { InterpretPair(Config(RotationHead::kEuler), unsure); }),
              HasSubstr("expected error is 500; expected -100 to 100"));
  EXPECT_THAT(ErrorFrom([&] {
                InterpretPair(Config(RotationHead::kQuaternion, false), std::vector<float>(7, 0.0F));
              }),
              HasSubstr("cannot be made a rotation"));
  EXPECT_THAT(ErrorFrom([&] {
                InterpretPair(Config(RotationHead::kGramSchmidt, false), std::vector<float>(9, 0.0F));
              }),
              HasSubstr("cannot be made a rotation"));
}

}  // namespace
}  // namespace calfvo
