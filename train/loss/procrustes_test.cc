// SPDX-License-Identifier: Apache-2.0
#include "loss/procrustes.h"

#include <gtest/gtest.h>

#include "core/geometry/procrustes.h"
#include "loss/finite_differences.h"

namespace calfvo::train {
namespace {

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using torch::Tensor;

Eigen::Matrix3d ToEigen(const Tensor& matrix) {
  const Tensor m = matrix.to(torch::kDouble).contiguous();
  return Eigen::Map<const RowMajor3>(m.data_ptr<double>());
}

Tensor OrthogonalityError(const Tensor& rotations) {
  const Tensor product = torch::matmul(rotations.transpose(-2, -1), rotations);
  return (product - torch::eye(3, rotations.options())).abs().max() + (torch::det(rotations) - 1).abs().max();
}

TEST(NearestRotations, AgreesWithTheSvd) {
  torch::manual_seed(1);
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const Tensor matrices = scale * torch::randn({500, 3, 3}, torch::kDouble);  // half of them reflections
    const Tensor rotations = NearestRotations(matrices);
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      const RotationFit fit = FitRotation(ToEigen(matrices[i]));
      // Close to where the answer is not unique the SVD and this may differ by as much as both are wrong.
      const double gap = (fit.singular_values(1) + fit.singular_values(2)) / fit.singular_values(0);
      EXPECT_LT((ToEigen(rotations[i]) - fit.rotation).norm(), 1e-13 / gap) << matrices[i];
    }
  }
}

TEST(NearestRotations, AreAsGoodAsTheBestWhereThereAreMany) {
  Tensor rank_one = torch::zeros({3, 3}, torch::kDouble);
  rank_one[1][2] = -2.0;
  const Tensor identity = torch::eye(3, torch::kDouble);
  for (const Tensor& matrix :
       {torch::zeros({3, 3}, torch::kDouble), rank_one, -identity, torch::ones({3, 3}, torch::kDouble),
        torch::diag(torch::tensor({1., -1., 1.}))}) {
    const Tensor input = matrix.to(torch::kDouble).requires_grad_(true);
    const Tensor rotation = NearestRotations(input);
    EXPECT_LT(OrthogonalityError(rotation).item<double>(), 1e-14);
    EXPECT_NEAR((rotation * matrix).sum().item<double>(), FitRotation(ToEigen(matrix)).singular_values.sum(),
                1e-14);
    (rotation * torch::arange(9, torch::kDouble).view({3, 3})).sum().backward();
    EXPECT_TRUE(AllFinite(input.grad()));
    EXPECT_LE(input.grad().abs().max().item<double>(), 1e5);
  }
  EXPECT_TRUE(torch::equal(NearestRotations(torch::zeros({3, 3})), torch::eye(3)));
}

TEST(NearestRotations, GradientAgreesWithFiniteDifferences) {
  torch::manual_seed(2);
  const Tensor weights = torch::randn({3, 3}, torch::kDouble);
  const auto loss = [&](const Tensor& matrix) { return (NearestRotations(matrix) * weights).sum(); };
  int reflections = 0;
  for (int i = 0; i < 50; ++i) {
    const Tensor matrix = torch::randn({3, 3}, torch::kDouble);
    const RotationFit fit = FitRotation(ToEigen(matrix));
    if (fit.singular_values(1) + fit.singular_values(2) < 0.1) continue;
    reflections += fit.singular_values(2) < 0.0 ? 1 : 0;
    EXPECT_LT(GradientError(loss, matrix), 3e-6) << matrix;
  }
  EXPECT_GT(reflections, 5);
  // At a rotation all singular values coincide, which is where the SVD's own derivative fails.
  EXPECT_LT(GradientError(loss, torch::eye(3, torch::kDouble)), 1e-7);
}

TEST(NearestRotations, AMillionMatricesAndGradientsAreFinite) {
  torch::manual_seed(3);
  const int64_t n = 250'000;
  const Tensor general = torch::randn({n, 3, 3});
  const Tensor near_rotation = torch::eye(3) + 1e-3 * torch::randn({n, 3, 3});
  const Tensor rank_one = torch::randn({n, 3, 1}) * torch::randn({n, 1, 3});
  const Tensor scaled = torch::randn({n, 3, 3}) * torch::pow(10, 40 * torch::rand({n, 1, 1}) - 20);
  for (const Tensor& matrices : {general, near_rotation, rank_one, scaled}) {
    const Tensor input = matrices.clone().requires_grad_(true);
    const Tensor rotations = NearestRotations(input);
    EXPECT_LT(OrthogonalityError(rotations.detach()).item<double>(), 3e-6);
    (rotations * torch::randn_like(rotations)).sum().backward();
    EXPECT_TRUE(AllFinite(input.grad()));
  }
}

TEST(NearestRotations, PassesNotANumberOn) {
  for (const float value : {NAN, INFINITY}) {
    Tensor matrix = torch::eye(3);
    matrix[1][0] = value;
    EXPECT_TRUE(NearestRotations(matrix).isnan().any().item<bool>());
  }
}

}  // namespace
}  // namespace calfvo::train
