// SPDX-License-Identifier: Apache-2.0
#include "loss/rotation_heads.h"

#include <gtest/gtest.h>

#include <span>

#include "loss/finite_differences.h"
#include "loss/pose_loss.h"
#include "nn/model/head.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

class EveryHead : public ::testing::TestWithParam<RotationHead> {
 protected:
  EveryHead() {
    head_.rotation = GetParam();
    head_.translation_mean = {0.1, -0.2, 0.3};
    head_.translation_std = {0.5, 2.0, 3.0};
    torch::manual_seed(4);
  }
  HeadConfig head_;
};

TEST_P(EveryHead, MeansWhatTheRuntimeSays) {
  const int64_t m = head_.values_per_pair();
  const Tensor values = torch::randn({40, 5, m});
  const PosePrediction predicted = InterpretValues(values, head_);
  for (int64_t i = 0; i < 200; ++i) {
    const Tensor row = values.view({200, m})[i].contiguous();
    const PairEstimate expected =
        InterpretPair(head_, std::span(row.data_ptr<float>(), static_cast<size_t>(m)));
    const Eigen::Matrix3d rotation = expected.first_from_second.rotation.toRotationMatrix();
    const Tensor actual = predicted.rotation.view({200, 3, 3})[i];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(actual[r][c].item<double>(), rotation(r, c), 2e-6);
      EXPECT_NEAR(predicted.translation.view({200, 3})[i][r].item<double>(),
                  expected.first_from_second.translation(r), 1e-6);
    }
    EXPECT_FLOAT_EQ(predicted.u_rotation.flatten()[i].item<float>(), static_cast<float>(expected.u_rotation));
    EXPECT_FLOAT_EQ(predicted.u_translation.flatten()[i].item<float>(),
                    static_cast<float>(expected.u_translation));
  }
}

TEST_P(EveryHead, GradientAgreesWithFiniteDifferences) {
  const Tensor weights = torch::randn({4, 3, 3}, torch::kDouble);
  const Tensor values = torch::randn({4, head_.rotation_values()}, torch::kDouble);
  const auto loss = [&](const Tensor& v) { return (RotationsFromValues(v, GetParam()) * weights).sum(); };
  EXPECT_LT(GradientError(loss, values), 1e-7);
}

TEST_P(EveryHead, ValuesAndGradientsAreFinite) {
  const int64_t n = head_.rotation_values();
  for (const float scale : {0.0F, 1e-6F, 1.0F, 1e6F}) {
    const Tensor values = (scale * torch::randn({60'000, n})).requires_grad_(true);
    const Tensor rotations = RotationsFromValues(values, GetParam());
    EXPECT_TRUE(AllFinite(rotations));
    rotations.sum().backward();
    EXPECT_TRUE(AllFinite(values.grad()));
  }
  const Tensor parallel = torch::ones({n}).requires_grad_(true);
  const Tensor rotation = RotationsFromValues(parallel, GetParam());
  rotation.sum().backward();
  EXPECT_TRUE(AllFinite(rotation));
  EXPECT_TRUE(AllFinite(parallel.grad()));
}

INSTANTIATE_TEST_SUITE_P(RotationHeads, EveryHead,
                         ::testing::Values(RotationHead::kProcrustes, RotationHead::kGramSchmidt,
                                           RotationHead::kQuaternion, RotationHead::kEuler));

}  // namespace
}  // namespace calfvo::train
