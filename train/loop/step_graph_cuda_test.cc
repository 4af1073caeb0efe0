// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/nn/modules/linear.h>

#include "loop/flat_parameters.h"
#include "loop/optimizer.h"
#include "loop/step_graph.h"

namespace calfvo::train {
namespace {

// Weights after 20 steps with changing data and learning rates.
torch::Tensor TrainLinear(bool graph) {
  torch::manual_seed(1);
  torch::nn::Linear network(32, 32);
  network->to(torch::kCUDA);
  FlatParameters parameters(*network);
  Optimizer optimizer(parameters, {});
  StepGraph step(graph);
  const torch::Tensor input = torch::empty({64, 32}, torch::kCUDA);
  for (int64_t i = 0; i < 20; ++i) {
    input.copy_(torch::full({64, 32}, 0.01 * static_cast<double>(i)).add_(torch::arange(32) * 0.1));
    optimizer.Prepare(i, 1e-2 / static_cast<double>(1 + i));
    step.Run([&] {
      parameters.ZeroGradients();
      (network(input) - 1.0).square().mean().backward();
      parameters.CollectGradients();
      optimizer.Update();
    });
  }
  return parameters.weights().cpu();
}

TEST(StepGraph, ReplaysWhatItRecorded) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  const torch::Tensor eager = TrainLinear(false);
  const torch::Tensor replayed = TrainLinear(true);
  EXPECT_TRUE(torch::allclose(eager, replayed, 1e-5, 1e-6)) << (eager - replayed).abs().max();
}

}  // namespace
}  // namespace calfvo::train
