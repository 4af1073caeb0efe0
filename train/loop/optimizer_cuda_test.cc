// SPDX-License-Identifier: Apache-2.0
// The kernel against the same steps on the CPU.
#include "loop/optimizer.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <limits>
#include <vector>

namespace calfvo::train {
namespace {

struct State {
  std::vector<torch::Tensor> tensors;  // weights, moments, average
  float skipped = 0.0F;
};

// Eight steps along gradients of very different sizes; those of step 5 have a NaN.
State StateAfterSteps(torch::Device device, const OptimizerOptions& options) {
  torch::manual_seed(1);
  torch::nn::ModuleList network;
  network->push_back(torch::nn::Linear(37, 29));
  torch::nn::Module module;
  module.register_module("blocks", network);
  module.to(device);
  FlatParameters parameters(module);
  Optimizer optimizer(parameters, options);
  for (int64_t i = 0; i < 8; ++i) {
    torch::Tensor gradients = torch::randn(parameters.size()) * std::pow(10.0, static_cast<double>(i) - 4.0);
    if (i == 5) gradients[3] = std::numeric_limits<float>::quiet_NaN();
    parameters.gradients().copy_(gradients);
    optimizer.Prepare(i, 1e-2);
    optimizer.Update();
  }
  State state;
  for (const torch::Tensor& tensor :
       {parameters.weights(), optimizer.first_moment(), optimizer.second_moment(), optimizer.average()}) {
    state.tensors.push_back(tensor.cpu());
  }
  state.skipped = optimizer.skipped().item<float>();
  return state;
}

void ExpectStepsAsOnTheCpu(const OptimizerOptions& options, double bound) {
  const State expected = StateAfterSteps(torch::kCPU, options);
  const State ours = StateAfterSteps(torch::kCUDA, options);
  EXPECT_EQ(ours.skipped, 1.0F);
  EXPECT_EQ(expected.skipped, 1.0F);
  for (size_t i = 0; i < ours.tensors.size(); ++i) {
    const torch::Tensor difference = ours.tensors[i] - expected.tensors[i];
    EXPECT_LE(difference.abs().max().item<double>(), bound * expected.tensors[i].abs().max().item<double>())
        << "tensor " << i;
  }
}

TEST(OptimizerKernel, StepsAsOnTheCpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  for (const double clip_norm : {0.0, 1.0}) {
    SCOPED_TRACE(clip_norm);
    ExpectStepsAsOnTheCpu({.clip_norm = clip_norm}, 1e-5);
  }
}

// Directions are in bf16 there.
TEST(OptimizerKernel, StepsMatricesAsOnTheCpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  ExpectStepsAsOnTheCpu({.kind = OptimizerKind::kMuon}, 1e-2);
}

}  // namespace
}  // namespace calfvo::train
