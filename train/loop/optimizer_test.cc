// SPDX-License-Identifier: Apache-2.0
#include "loop/optimizer.h"

#include <ATen/ops/linalg_qr.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <cmath>
#include <limits>
#include <map>

namespace calfvo::train {
namespace {

// Two layers with a norm between them.
struct TinyImpl : torch::nn::Module {
  TinyImpl() {
    torch::manual_seed(1);
    first = register_module("first", torch::nn::Linear(5, 7));
    norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({7})));
    second = register_module("second", torch::nn::Linear(7, 3));
    pos_embed = register_parameter("pos_embed", torch::randn({4, 7}));
  }
  torch::Tensor forward(const torch::Tensor& x) { return second(norm(first(x) + pos_embed)); }

  torch::nn::Linear first{nullptr};
  torch::nn::LayerNorm norm{nullptr};
  torch::nn::Linear second{nullptr};
  torch::Tensor pos_embed;
};
TORCH_MODULE(Tiny);

torch::Tensor LossAt(Tiny& network, int64_t step) {
  torch::manual_seed(100 + step);
  const torch::Tensor x = torch::randn({4, 5});
  return (network(x) - torch::randn({4, 3})).square().sum();
}

TEST(FlatParameters, ParametersAndGradientsAreViews) {
  Tiny network;
  const torch::Tensor before = LossAt(network, 0);
  const FlatParameters flat(*network);
  EXPECT_EQ(flat.parameter_count(), 5 * 7 + 7 + 7 + 7 + 7 * 3 + 3 + 4 * 7);
  const torch::Tensor after = LossAt(network, 0);
  EXPECT_EQ(before.item<float>(), after.item<float>());
  flat.ZeroGradients();
  after.backward();
  const torch::Tensor expected = network->first->weight.grad().clone();
  flat.CollectGradients();
  EXPECT_TRUE(torch::equal(network->first->weight.grad(), expected));
  for (const FlatParameters::Slice& slice : flat.slices()) {
    EXPECT_EQ(slice.parameter.data_ptr<float>(), flat.weights().data_ptr<float>() + slice.begin);
    EXPECT_EQ(slice.parameter.grad().data_ptr<float>(), flat.gradients().data_ptr<float>() + slice.begin);
    EXPECT_EQ(slice.begin < flat.decay_size(), slice.name == "first.weight" || slice.name == "second.weight");
  }
  EXPECT_EQ(flat.matrix_size(), 0);
  EXPECT_GT(flat.gradients().abs().sum().item<float>(), 0.0F);
}

// An independent implementation, with the same two groups of parameters.
TEST(Optimizer, FollowsTorchAdamW) {
  const double clip = 20.0;
  Tiny ours;
  FlatParameters flat(*ours);
  const OptimizerOptions options{.weight_decay = 0.1, .clip_norm = clip};
  Optimizer optimizer(flat, options);

  Tiny theirs;
  std::vector<torch::Tensor> decayed, others;
  for (const auto& item : theirs->named_parameters()) {
    (IsDecayed(item.key(), item.value()) ? decayed : others).push_back(item.value());
  }
  const auto adamw = [&](double decay) {
    return std::make_unique<torch::optim::AdamWOptions>(
        torch::optim::AdamWOptions(1e-2).betas({0.9, 0.999}).eps(1e-8).weight_decay(decay));
  };
  torch::optim::AdamW peer(
      std::vector<torch::optim::OptimizerParamGroup>{{decayed, adamw(0.1)}, {others, adamw(0.0)}},
      torch::optim::AdamWOptions(1e-2));
  bool clipped = false;
  bool whole = false;
  for (int64_t step = 0; step < 60; ++step) {
    const double rate = 1e-2 / static_cast<double>(1 + step);
    flat.ZeroGradients();
    LossAt(ours, step).backward();
    flat.CollectGradients();
    optimizer.Prepare(step, rate);
    optimizer.Update();

    peer.zero_grad();
    LossAt(theirs, step).backward();
    const double norm = torch::nn::utils::clip_grad_norm_(theirs->parameters(), clip);
    (norm > clip ? clipped : whole) = true;
    for (auto& group : peer.param_groups()) group.options().set_lr(rate);
    peer.step();
    EXPECT_NEAR(optimizer.gradient_norm().item<double>(), norm, 1e-4 * norm);
  }
  EXPECT_TRUE(clipped && whole);
  const auto expected = theirs->named_parameters();
  for (const auto& item : ours->named_parameters()) {
    EXPECT_TRUE(torch::allclose(item.value(), expected[item.key()], 1e-5, 1e-6)) << item.key();
  }
}

// Like Tiny, with a block whose matrices Muon steps.
struct BlockedImpl : torch::nn::Module {
  BlockedImpl() {
    torch::manual_seed(2);
    head = register_module("head", torch::nn::Linear(6, 3));
    blocks = register_module("blocks", torch::nn::ModuleList());
    blocks->push_back(torch::nn::Linear(5, 6));
  }
  torch::nn::ModuleList blocks{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Blocked);

// The gradient of the block is twice a matrix with orthonormal columns, so that its direction is that matrix
// times a number near one. The momentum of the first step is that direction too.
TEST(Optimizer, MuonStepsMatricesOfBlocksAlongOrthogonalOnes) {
  const double rate = 1e-2, decay = 0.1;
  Blocked muon, adamw;
  FlatParameters flat(*muon), other(*adamw);
  EXPECT_EQ(flat.slices()[0].name, "blocks.0.weight");
  EXPECT_EQ(flat.matrix_size(), 64);
  Optimizer optimizer(flat, {.kind = OptimizerKind::kMuon, .weight_decay = decay});
  Optimizer peer(other, {.weight_decay = decay});
  const torch::Tensor before = flat.slices()[0].parameter.detach().clone();
  const torch::Tensor orthonormal = std::get<0>(torch::linalg_qr(torch::randn({6, 5})));
  for (FlatParameters* parameters : {&flat, &other}) {
    torch::manual_seed(3);
    parameters->gradients().normal_();
    parameters->slices()[0].parameter.mutable_grad().copy_(2.0 * orthonormal);
  }
  for (Optimizer* each : {&optimizer, &peer}) {
    each->Prepare(0, rate);
    each->Update();
  }
  const torch::Tensor step = (before * (1.0 - rate * decay) - flat.slices()[0].parameter.detach()) / rate;
  const double length = (step * orthonormal).sum().item<double>() / 5.0;
  EXPECT_GT(length, 0.6 * 0.2 * std::sqrt(6.0));
  EXPECT_LT(length, 1.25 * 0.2 * std::sqrt(6.0));
  EXPECT_LT((step - length * orthonormal).norm().item<double>(), 1e-3 * step.norm().item<double>());
  for (size_t i = 1; i < flat.slices().size(); ++i) {
    EXPECT_TRUE(torch::equal(flat.slices()[i].parameter, other.slices()[i].parameter))
        << flat.slices()[i].name;
  }
  EXPECT_TRUE(torch::equal(optimizer.second_moment().narrow(0, 0, 64), torch::zeros({64})));

  // Bad gradients change nothing.
  const torch::Tensor weights = flat.weights().clone(), momentum = optimizer.first_moment().clone();
  flat.gradients()[7] = std::numeric_limits<float>::quiet_NaN();
  optimizer.Prepare(1, rate);
  optimizer.Update();
  EXPECT_TRUE(torch::equal(flat.weights(), weights));
  EXPECT_TRUE(torch::equal(optimizer.first_moment(), momentum));
  EXPECT_EQ(optimizer.skipped().item<float>(), 1.0F);
}

TEST(Optimizer, SkipsWhatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Tiny network;
    FlatParameters flat(*network);
    Optimizer optimizer(flat, {});
    const auto step = [&](int64_t i, bool spoil) {
      flat.ZeroGradients();
      LossAt(network, i).backward();
      flat.CollectGradients();
      if (spoil) flat.gradients()[3] = bad;
      optimizer.Prepare(i, 1e-2);
      optimizer.Update();
    };
    step(0, false);
    const torch::Tensor weights = flat.weights().clone();
    const torch::Tensor first = optimizer.first_moment().clone();
    const torch::Tensor second = optimizer.second_moment().clone();
    step(1, true);
    EXPECT_EQ(optimizer.skipped().item<float>(), 1.0F);
    EXPECT_TRUE(torch::equal(flat.weights(), weights));
    EXPECT_TRUE(torch::equal(optimizer.first_moment(), first));
    EXPECT_TRUE(torch::equal(optimizer.second_moment(), second));
    EXPECT_TRUE(torch::isfinite(optimizer.average()).all().item<bool>());
    step(2, false);
    EXPECT_EQ(optimizer.skipped().item<float>(), 1.0F);
    EXPECT_FALSE(torch::equal(flat.weights(), weights));
  }
}

// The recurrence in double beside it, with the decay written out.
TEST(Optimizer, AverageFollowsItsClosedForm) {
  Tiny network;
  FlatParameters flat(*network);
  Optimizer optimizer(flat, {.weight_decay = 0.0, .ema_decay = 0.8});
  double average = flat.weights()[0].item<double>();
  for (int64_t step = 0; step < 50; ++step) {
    flat.ZeroGradients();
    LossAt(network, step).backward();
    flat.CollectGradients();
    optimizer.Prepare(step, 1e-2);
    optimizer.Update();
    const auto s = static_cast<double>(step);
    const double decay = std::min(0.8, (1.0 + s) / (10.0 + s));
    average = decay * average + (1.0 - decay) * flat.weights()[0].item<double>();
    EXPECT_NEAR(optimizer.average()[0].item<double>(), average, 1e-5);
  }
  const torch::Tensor weights = flat.weights().clone();
  {
    const AveragedWeights averaged(flat, optimizer);
    EXPECT_TRUE(torch::equal(network->first->weight.flatten()[0], optimizer.average()[0]));
  }
  EXPECT_TRUE(torch::equal(flat.weights(), weights));
}

}  // namespace
}  // namespace calfvo::train
