// SPDX-License-Identifier: Apache-2.0
#include "loop/matrix_directions.h"

#include <ATen/ops/linalg_svd.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cmath>

namespace calfvo::train {
namespace {

// Against a singular value decomposition: the same singular vectors, values near one.
TEST(NearlyOrthogonal, KeepsSingularVectors) {
  torch::manual_seed(1);
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{24, 24}, {16, 40}, {40, 16}}) {
    SCOPED_TRACE(testing::Message() << rows << "x" << columns);
    const torch::Tensor x =
        torch::randn({3, rows, columns}) * torch::tensor({1e-6, 1.0, 1e4}).view({3, 1, 1});
    const torch::Tensor nearly = NearlyOrthogonal(x);
    ASSERT_EQ(nearly.sizes(), x.sizes());
    const auto [u, s, vt] = torch::linalg_svd(x, /*full_matrices=*/false);
    const torch::Tensor inside = u.transpose(1, 2).bmm(nearly).bmm(vt.transpose(1, 2));
    const torch::Tensor values = inside.diagonal(0, 1, 2);
    EXPECT_LT((inside - torch::diag_embed(values)).abs().max().item<double>(), 2e-3);
    EXPECT_LT(values.max().item<double>(), 1.25);
    // The iteration lifts values from 1/100 of the norm upwards; smaller ones need more steps.
    const torch::Tensor lifted = s / s.square().sum(1, true).sqrt() > 0.01;
    EXPECT_GT(values.masked_select(lifted).min().item<double>(), 0.6);
  }
  EXPECT_TRUE(torch::equal(NearlyOrthogonal(torch::zeros({1, 4, 6})), torch::zeros({1, 4, 6})));
}

// Projections to queries, keys and values: three matrices. Kernels of convolutions: one each.
TEST(MatrixDirections, TakesEachMatrixByItself) {
  struct Block : torch::nn::Module {
    Block() {
      qkv = register_module("qkv", torch::nn::Linear(torch::nn::LinearOptions(8, 24).bias(false)));
      conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 2).bias(false)));
    }
    torch::nn::Linear qkv{nullptr};
    torch::nn::Conv2d conv{nullptr};
  };
  torch::nn::ModuleList blocks;
  for (int i = 0; i < 2; ++i) blocks->push_back(std::make_shared<Block>());
  torch::nn::Module module;
  module.register_module("blocks", blocks);
  const FlatParameters parameters(module);
  ASSERT_EQ(parameters.slices().size(), 4);
  EXPECT_EQ(parameters.matrix_size(), parameters.size());
  const torch::Tensor directions = torch::randn(parameters.size());
  const torch::Tensor before = directions.clone();
  MatrixDirections(parameters).Apply(directions);
  for (const FlatParameters::Slice& slice : parameters.slices()) {
    const bool is_conv = slice.parameter.dim() == 4;
    const int64_t columns = is_conv ? 12 : 8;
    const auto matrices = [&](const torch::Tensor& flat) {
      return flat.narrow(0, slice.begin, slice.count).view({-1, 8, columns});
    };
    const torch::Tensor expected =
        NearlyOrthogonal(matrices(before)) * 0.2 * std::sqrt(static_cast<double>(columns));
    EXPECT_EQ(expected.size(0), is_conv ? 1 : 3);
    EXPECT_TRUE(torch::allclose(matrices(directions), expected, 1e-4, 1e-5)) << slice.name;
  }
}

}  // namespace
}  // namespace calfvo::train
