// SPDX-License-Identifier: Apache-2.0
#include "network/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <vector>

namespace calfvo::train {
namespace {

class Layers : public testing::Test {
 protected:
  void SetUp() override { torch::manual_seed(1); }

  static void ExpectNear(const at::Tensor& ours, const at::Tensor& expected) {
    EXPECT_LE((ours - expected).abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>());
  }

  static at::Tensor Parameter(at::IntArrayRef sizes) { return at::randn(sizes).requires_grad_(); }
};

TEST_F(Layers, ComposedIsOneAfterTheOther) {
  std::vector<LinearLayer> inner, outer;
  torch::autograd::variable_list inputs = {Parameter({5, 7, 8})};
  const at::Tensor x = inputs.front();
  for (size_t i = 0; i < 3; ++i) {
    inner.push_back({Parameter({16, 8}), Parameter({16})});
    outer.push_back({Parameter({24, 16}), Parameter({24})});
    inputs.insert(inputs.end(), {inner[i].weight, inner[i].bias, outer[i].weight, outer[i].bias});
  }
  const std::vector<LinearLayer> composed = Composed(outer, inner);
  const at::Tensor ours = at::stack({composed[0](x), composed[1](x), composed[2](x)});
  const at::Tensor expected =
      at::stack({outer[0](inner[0](x)), outer[1](inner[1](x)), outer[2](inner[2](x))});
  const at::Tensor weights = at::randn({3, 5, 7, 24});
  ExpectNear(ours, expected);
  const auto our_gradients = torch::autograd::grad({(ours * weights).sum()}, inputs);
  const auto gradients = torch::autograd::grad({(expected * weights).sum()}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectNear(our_gradients[i], gradients[i]);
  }
}

// Wherever a branch ends, its bias is added once.
TEST_F(Layers, BranchesGetTheirBias) {
  const LinearLayer linear{at::randn({8, 16}), at::randn({8})};
  const NormLayer norm{at::randn({8}), at::randn({8}), 1e-6};
  const at::Tensor x = at::randn({2, 3, 5, 16});
  const at::Tensor stream = at::randn({2, 3, 5, 8});
  const at::Tensor whole = at::linear(x, linear.weight, linear.bias);
  const Branch branch = linear.AsBranch(x);
  ExpectNear(branch.Whole(), whole);
  ExpectNear(Added(stream, branch), stream + whole);
  ExpectNear(norm.ThenGelu(branch), at::gelu(at::layer_norm(whole, {8}, norm.weight, norm.bias, norm.eps)));
  ExpectNear(norm.AfterAdding(stream, branch).sum, stream + whole);
  // Camera tokens that skip the branch skip its bias too; those that are averaged get it.
  const at::Tensor skipped = norm.AfterAdding(stream, branch, CameraRule::kSkip).sum;
  ExpectNear(skipped.select(2, 0), stream.select(2, 0));
  ExpectNear(skipped.narrow(2, 1, 4), (stream + whole).narrow(2, 1, 4));
  const at::Tensor averaged = norm.AfterAdding(stream, branch, CameraRule::kMean).sum;
  ExpectNear(averaged.select(2, 0).select(1, 1), (stream + whole).select(2, 0).mean(1));
}

}  // namespace
}  // namespace calfvo::train
