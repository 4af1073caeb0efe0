// SPDX-License-Identifier: Apache-2.0
#include "loss/pose_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/testing.h"
#include "core/geometry/so3.h"
#include "loss/finite_differences.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

constexpr double kPi = std::numbers::pi;

Tensor RotationTensor(const Eigen::Vector3d& rotation_vector) {
  const Eigen::Matrix3d m = ExpSO3(rotation_vector).toRotationMatrix();
  Tensor tensor = torch::empty({3, 3}, torch::kDouble);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) tensor[r][c] = m(r, c);
  }
  return tensor;
}

Tensor RandomRotations(int64_t count) {
  HeadConfig head;
  head.rotation = RotationHead::kQuaternion;
  return InterpretValues(torch::randn({count, head.values_per_pair()}, torch::kDouble), head).rotation;
}

const double kAngles[] = {0.0, 1e-12, 1e-7, 1e-4, 0.01, 1.0, 2.0, 3.0, kPi - 1e-4, kPi - 1e-9, kPi};

TEST(GeodesicAngle, IsTheAngleOfTheRotationBetweenAndHasAFiniteGradient) {
  const Eigen::Vector3d axis = Eigen::Vector3d(0.3, -0.5, 0.8).normalized();
  const Eigen::Vector3d first(0.4, 1.1, -0.7);
  for (const double angle : kAngles) {
    const Quaternion second = ExpSO3(first) * ExpSO3(angle * axis);
    for (const auto dtype : {torch::kDouble, torch::kFloat}) {
      const Tensor a = RotationTensor(first).to(dtype).requires_grad_(true);
      const Tensor b = RotationTensor(LogSO3(second)).to(dtype);
      const Tensor result = GeodesicAngle(a, b);
      EXPECT_NEAR(result.item<double>(), angle, dtype == torch::kDouble ? 1e-14 : 3e-7);
      result.backward();
      EXPECT_TRUE(AllFinite(a.grad()));
      EXPECT_LE(a.grad().norm().item<double>(), 3.0);
    }
  }
}

TEST(GeodesicAngle, OfEqualRotationsIsZeroWithZeroGradient) {
  torch::manual_seed(5);
  const Tensor a = RandomRotations(1000).to(torch::kFloat).requires_grad_(true);
  const Tensor angle = GeodesicAngle(a, a.detach());
  EXPECT_EQ(angle.abs().max().item<float>(), 0.0F);
  angle.sum().backward();
  EXPECT_EQ(a.grad().abs().max().item<float>(), 0.0F);
}

TEST(GeodesicAngle, GradientAgreesWithFiniteDifferences) {
  torch::manual_seed(6);
  const Eigen::Vector3d first(0.4, 1.1, -0.7);
  for (const double angle : {1e-3, 0.1, 1.5, 3.0, kPi - 1e-2}) {
    const Tensor b = RotationTensor(LogSO3(ExpSO3(first) * ExpSO3(Eigen::Vector3d(0.0, angle, 0.0))));
    const auto loss = [&](const Tensor& a) { return GeodesicAngle(a, b).sum(); };
    EXPECT_LT(GradientError(loss, RotationTensor(first), 1e-7), 1e-5) << angle;
  }
}

// Random predictions and truths of two windows of three pairs.
struct Case {
  explicit Case(RotationHead rotation = RotationHead::kProcrustes, bool confidence = true) {
    torch::manual_seed(7);
    head.rotation = rotation;
    head.confidence = confidence;
    head.translation_mean = {0.0, 0.01, 0.02};
    head.translation_std = {0.1, 0.2, 0.3};
    values = torch::randn({2, 3, head.values_per_pair()}, torch::kDouble);
    batch.rotation = RandomRotations(6).view({2, 3, 3, 3});
    batch.translation = torch::randn({2, 3, 3}, torch::kDouble);
  }
  Tensor Total(const Tensor& v) const { return PoseLoss(v, {}, batch, head, options).total; }

  HeadConfig head;
  WindowBatch batch;
  LossOptions options;
  Tensor values;
};

TEST(PoseLoss, IsThePapersFormula) {
  const Case c;
  const LossTerms terms = PoseLoss(c.values, {}, c.batch, c.head, c.options);
  const PosePrediction p = InterpretValues(c.values, c.head);
  double total = 0.0;
  double degrees = 0.0;
  double metres = 0.0;
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t k = 0; k < 3; ++k) {
      const double trace = (p.rotation[b][k] * c.batch.rotation[b][k]).sum().item<double>();
      const double angle = std::acos((trace - 1.0) / 2.0);
      const Tensor difference = p.translation[b][k] - c.batch.translation[b][k];
      const double u_rotation = p.u_rotation[b][k].item<double>();
      const double u_translation = p.u_translation[b][k].item<double>();
      total += angle * 180.0 / kPi * std::exp(-u_rotation) + u_rotation;
      total += difference.abs().sum().item<double>() / 0.03 * std::exp(-u_translation) + u_translation;
      degrees += angle * 180.0 / kPi;
      metres += difference.norm().item<double>();
    }
  }
  EXPECT_NEAR(terms.total.item<double>(), total / 6, 1e-9 * total);
  EXPECT_NEAR(terms.rotation_deg.item<double>(), degrees / 6, 1e-9);
  EXPECT_NEAR(terms.translation_m.item<double>(), metres / 6, 1e-9);
  EXPECT_EQ(terms.motion.item<double>(), 0.0);
}

TEST(PoseLoss, WithoutConfidenceIsTheSumOfTheErrors) {
  const Case c(RotationHead::kEuler, false);
  const LossTerms terms = PoseLoss(c.values, {}, c.batch, c.head, c.options);
  const PosePrediction p = InterpretValues(c.values, c.head);
  const double l1_m = (p.translation - c.batch.translation).abs().sum(-1).mean().item<double>();
  EXPECT_NEAR(terms.total.item<double>(), terms.rotation_deg.item<double>() + l1_m / 0.03, 1e-9);
}

TEST(PoseLoss, GradientAgreesWithFiniteDifferences) {
  for (const auto head : {RotationHead::kProcrustes, RotationHead::kGramSchmidt, RotationHead::kQuaternion,
                          RotationHead::kEuler}) {
    for (const bool confidence : {true, false}) {
      const Case c(head, confidence);
      EXPECT_LT(GradientError([&](const Tensor& v) { return c.Total(v); }, c.values), 1e-6);
    }
  }
}

TEST(PoseLoss, HoldsTheLogVariancesInTheirRangeAndLetsThemReturn) {
  Case c;
  const int64_t r = c.head.rotation_values();
  const auto at = [&](double u) {
    Tensor values = c.values.clone();
    values.select(-1, r + 3).fill_(u);
    values.requires_grad_(true);
    const Tensor total = c.Total(values);
    total.backward();
    return std::pair(total.item<double>(), values.grad()[0][0][r + 3].item<double>());
  };
  EXPECT_DOUBLE_EQ(at(100.0).first, at(6.0).first);
  EXPECT_DOUBLE_EQ(at(-100.0).first, at(-6.0).first);
  EXPECT_GT(at(100.0).second, 0.0);   // the error does not warrant so much doubt: u falls
  EXPECT_LT(at(-100.0).second, 0.0);  // nor so little: u rises
  c.options.rotation_unit_rad = 1e6;  // an error of nearly nothing: u would fall without end
  EXPECT_EQ(at(-100.0).second, 0.0);
  EXPECT_GT(at(0.0).second, 0.0);
}

TEST(PoseLoss, AveragesMotionOverWhatIsKnown) {
  Case c;
  c.options.motion_weight = 20.0;
  c.batch.motion = torch::full({2, 4, 2, 2, 2}, NAN, torch::kDouble);
  c.batch.motion[0][1][0][1][0] = 32.0;  // pixels: two patches
  c.batch.motion[1][3][1][1][1] = -16.0;
  const Tensor motion = torch::full({2, 4, 2, 2, 2}, 0.5, torch::kDouble).requires_grad_(true);
  const LossTerms terms = PoseLoss(c.values, motion, c.batch, c.head, c.options);
  EXPECT_DOUBLE_EQ(terms.motion.item<double>(), (1.5 + 1.5) / 2);
  EXPECT_DOUBLE_EQ((terms.total - c.Total(c.values)).item<double>(), 20.0 * 1.5);
  terms.total.backward();
  EXPECT_DOUBLE_EQ(motion.grad()[0][1][0][1][0].item<double>(), -10.0);
  EXPECT_DOUBLE_EQ(motion.grad()[1][3][1][1][1].item<double>(), 10.0);
  EXPECT_EQ(motion.grad().count_nonzero().item<int64_t>(), 2);

  c.batch.motion.fill_(NAN);
  EXPECT_EQ(PoseLoss(c.values, motion, c.batch, c.head, c.options).motion.item<double>(), 0.0);
}

TEST(PoseLoss, AMillionPairsAreFiniteFromPerfectToOpposite) {
  torch::manual_seed(8);
  HeadConfig head;
  const int64_t n = 250'000;
  WindowBatch batch;
  batch.rotation = RandomRotations(n).to(torch::kFloat).view({n, 1, 3, 3});
  batch.translation = torch::randn({n, 1, 3});
  const Tensor half_turn = torch::diag(torch::tensor({1.0F, -1.0F, -1.0F}));
  const Tensor rotations[] = {batch.rotation, batch.rotation + 1e-6 * torch::randn({n, 1, 3, 3}),
                              torch::matmul(batch.rotation, half_turn), torch::randn({n, 1, 3, 3})};
  for (const Tensor& rotation : rotations) {
    const Tensor u = 20.0 * torch::randn({n, 1, 2});
    const Tensor values =
        torch::cat({rotation.reshape({n, 1, 9}), batch.translation, u}, -1).requires_grad_(true);
    const Tensor total = PoseLoss(values, {}, batch, head, {}).total;
    EXPECT_TRUE(AllFinite(total));
    total.backward();
    EXPECT_TRUE(AllFinite(values.grad()));
  }
}

TEST(LossOptions, NameTheFieldThatIsWrong) {
  EXPECT_EQ(ErrorFrom([] { LossOptions{.translation_unit_m = 0.0}.Validate(); }),
            "translation_unit_m is 0; expected more than 0");
  EXPECT_EQ(ErrorFrom([] { LossOptions{.min_u = 3.0, .max_u = 3.0}.Validate(); }),
            "min_u and max_u are 3 and 3; expected -30 to 30, in order");
  EXPECT_EQ(ErrorFrom([] { LossOptions{.motion_weight = NAN}.Validate(); }),
            "motion_weight is nan; expected 0 or more");
  EXPECT_EQ(ErrorFrom([] { LossOptions{}.Validate(); }), "no error");
}

}  // namespace
}  // namespace calfvo::train
