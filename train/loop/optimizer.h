// SPDX-License-Identifier: Apache-2.0
// AdamW or Muon on flat parameters, with clipping, an average of the weights and a guard against NaN. Nothing
// in Update waits for the device or depends on values in its control flow, so that it can be part of a CUDA
// graph: numbers that change from step to step are on the device.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "loop/flat_parameters.h"
#include "loop/matrix_directions.h"

namespace calfvo::train {

enum class OptimizerKind { kAdamW, kMuon };
constexpr const char* OptimizerName(OptimizerKind kind) {
  return kind == OptimizerKind::kMuon ? "muon" : "adamw";
}

struct OptimizerOptions {
  // Muon steps matrices of blocks as in matrix_directions.h, and all else as AdamW.
  OptimizerKind kind = OptimizerKind::kAdamW;
  double momentum = 0.95;  // of Muon, Nesterov's
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.05;
  double clip_norm = 1.0;    // gradients are scaled down to this norm; 0: never
  double ema_decay = 0.999;  // of the averaged weights; 0: they follow the weights

  void Validate() const;  // throws Error naming the field
};

class Optimizer {
 public:
  // Borrows `parameters`. The averaged weights start as the weights.
  Optimizer(FlatParameters& parameters, const OptimizerOptions& options);

  // Sets what the next Update depends on; `step` counts from 0. Outside of the graph. The average forgets
  // faster at first, with decay (1 + step)/(10 + step) where that is smaller, so that it is soon free of the
  // first weights.
  void Prepare(int64_t step, double learning_rate);

  // One step along the flat gradients, which may be overwritten. If the norm of the gradients is not finite,
  // weights, moments and average stay as they are and skipped() grows by one.
  void Update();

  // Scalars on the device: the norm of the last gradients before clipping, and how many updates were skipped
  // since the last ResetSkipped.
  const torch::Tensor& gradient_norm() const { return norm_; }
  const torch::Tensor& skipped() const { return skipped_; }
  void ResetSkipped() { skipped_.zero_(); }

  OptimizerKind kind() const { return options_.kind; }
  // State, flat like the weights; for checkpoints and evaluation.
  const torch::Tensor& average() const { return average_; }
  const torch::Tensor& first_moment() const { return first_moment_; }
  const torch::Tensor& second_moment() const { return second_moment_; }

 private:
  torch::Tensor IsGood() const;      // 1 or 0: whether the gradients' norm is finite
  torch::Tensor ClipFactor() const;  // what brings finite gradients to the norm allowed; 0 for others
  void TurnIntoDirections(torch::Tensor gradients);

  // Muon's matrices come first in flat tensors: [0, MatrixSize()), empty for AdamW. The others follow.
  int64_t MatrixSize() const;
  torch::Tensor Matrices(const torch::Tensor& flat) const;
  torch::Tensor Others(const torch::Tensor& flat) const;

  // Update in one kernel. False, and nothing done, without such a kernel (fused_adamw.h).
  bool FusedUpdate();
  // Update by tensor operations; `good` is IsGood().
  void Decay(const torch::Tensor& good);
  void StepMatrices(const torch::Tensor& good);
  void StepOthers(const torch::Tensor& good);

  FlatParameters& parameters_;
  const OptimizerOptions options_;
  std::optional<MatrixDirections> directions_;  // Muon's
  torch::Tensor first_moment_;
  torch::Tensor second_moment_;
  torch::Tensor average_;
  torch::Tensor norm_;
  torch::Tensor skipped_;
  // One number each.
  torch::Tensor step_size_;  // learning rate / (1 − β₁ᵗ)
  torch::Tensor learning_rate_;
  torch::Tensor second_correction_;  // 1/√(1 − β₂ᵗ)
  torch::Tensor average_weight_;     // 1 − decay of this step
};

// While it lives, the weights are the averaged ones.
class AveragedWeights {
 public:
  AveragedWeights(const FlatParameters& parameters, const Optimizer& optimizer);
  ~AveragedWeights();
  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;

 private:
  const FlatParameters& parameters_;
  torch::Tensor saved_;
};

}  // namespace calfvo::train
