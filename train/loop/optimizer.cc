// SPDX-License-Identifier: Apache-2.0
#include "loop/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calfvo/error.h"
#include "loop/fused_adamw.h"

namespace calfvo::train {

void OptimizerOptions::Validate() const {
  const auto check = [](const char* field, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
      throw Error(fmt::format("{} is {}; expected {} to {}", field, value, low, high));
    }
  };
  check("momentum", momentum, 0.0, 0.9999);
  check("beta1", beta1, 0.0, 0.9999);
  check("beta2", beta2, 0.0, 0.999999);
  check("eps", eps, 1e-12, 1.0);
  check("weight_decay", weight_decay, 0.0, 1.0);
  check("clip_norm", clip_norm, 0.0, 1e6);
  check("ema_decay", ema_decay, 0.0, 0.9999999);
}

Optimizer::Optimizer(FlatParameters& parameters, const OptimizerOptions& options)
    : parameters_(parameters),
      options_(options),
      first_moment_(torch::zeros_like(parameters.weights())),
      second_moment_(torch::zeros_like(parameters.weights())),
      average_(parameters.weights().clone()) {
  if (options.kind == OptimizerKind::kMuon) directions_.emplace(parameters);
  const auto scalar = [&] { return torch::zeros({}, parameters.weights().options()); };
  norm_ = scalar();
  skipped_ = scalar();
  step_size_ = scalar();
  learning_rate_ = scalar();
  second_correction_ = scalar();
  average_weight_ = scalar();
}

void Optimizer::Prepare(int64_t step, double learning_rate) {
  const auto t = static_cast<double>(step + 1);
  step_size_.fill_(learning_rate / (1.0 - std::pow(options_.beta1, t)));
  learning_rate_.fill_(learning_rate);
  second_correction_.fill_(1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t)));
  const auto s = static_cast<double>(step);
  average_weight_.fill_(1.0 - std::min(options_.ema_decay, (1.0 + s) / (10.0 + s)));
}

torch::Tensor Optimizer::IsGood() const {
  return torch::isfinite(norm_).to(torch::kFloat32);
}

torch::Tensor Optimizer::ClipFactor() const {
  if (options_.clip_norm == 0.0) return IsGood();
  return torch::nan_to_num(options_.clip_norm / (norm_ + 1e-6), 0.0, 0.0, 0.0).clamp_max_(1.0);
}

void Optimizer::TurnIntoDirections(torch::Tensor gradients) {
  torch::Tensor momentum = first_moment_.narrow(0, 0, gradients.numel());
  gradients.nan_to_num_(0.0, 0.0, 0.0).mul_(ClipFactor());
  momentum.lerp_(gradients, IsGood() * (1.0 - options_.momentum));
  gradients.lerp_(momentum, options_.momentum);
  directions_->Apply(gradients);
}

void Optimizer::Update() {
  const torch::NoGradGuard no_grad;
  norm_.copy_(parameters_.gradients().norm());
  if (directions_) TurnIntoDirections(Matrices(parameters_.gradients()));
  if (FusedUpdate()) return;
  // With bad gradients every change is multiplied by zero.
  const torch::Tensor good = IsGood();
  skipped_.add_(1.0 - good);
  Decay(good);
  StepMatrices(good);
  StepOthers(good);
  average_.lerp_(parameters_.weights(), average_weight_);
}

int64_t Optimizer::MatrixSize() const {
  return directions_ ? parameters_.matrix_size() : 0;
}

torch::Tensor Optimizer::Matrices(const torch::Tensor& flat) const {
  return flat.narrow(0, 0, MatrixSize());
}

torch::Tensor Optimizer::Others(const torch::Tensor& flat) const {
  return flat.narrow(0, MatrixSize(), flat.numel() - MatrixSize());
}

bool Optimizer::FusedUpdate() {
  return FusedAdamW({.gradients = parameters_.gradients(),
                     .weights = parameters_.weights(),
                     .first_moment = first_moment_,
                     .second_moment = second_moment_,
                     .average = average_,
                     .norm = norm_,
                     .skipped = skipped_,
                     .step_size = step_size_,
                     .learning_rate = learning_rate_,
                     .second_correction = second_correction_,
                     .average_weight = average_weight_,
                     .step_along = MatrixSize(),
                     .decay_size = parameters_.decay_size(),
                     .beta1 = options_.beta1,
                     .beta2 = options_.beta2,
                     .eps = options_.eps,
                     .weight_decay = options_.weight_decay,
                     .clip_norm = options_.clip_norm});
}

void Optimizer::Decay(const torch::Tensor& good) {
  if (options_.weight_decay == 0.0 || parameters_.decay_size() == 0) return;
  parameters_.weights()
      .narrow(0, 0, parameters_.decay_size())
      .mul_(1.0 - good * learning_rate_ * options_.weight_decay);
}

void Optimizer::StepMatrices(const torch::Tensor& good) {
  Matrices(parameters_.weights()).sub_(Matrices(parameters_.gradients()) * (good * learning_rate_));
}

void Optimizer::StepOthers(const torch::Tensor& good) {
  const torch::Tensor gradients = Others(parameters_.gradients());
  const torch::Tensor first = Others(first_moment_);
  const torch::Tensor second = Others(second_moment_);
  // A factor of zero does not remove NaN, so they go first.
  gradients.nan_to_num_(0.0, 0.0, 0.0).mul_(ClipFactor());
  first.lerp_(gradients, good * (1.0 - options_.beta1));
  second.lerp_(gradients.square_(), good * (1.0 - options_.beta2));
  // The gradients are used up; their memory holds the denominator.
  torch::Tensor denominator = gradients;
  torch::sqrt_out(denominator, second).mul_(second_correction_).add_(options_.eps);
  Others(parameters_.weights()).addcdiv_(first * (good * -step_size_), denominator);
}

AveragedWeights::AveragedWeights(const FlatParameters& parameters, const Optimizer& optimizer)
    : parameters_(parameters), saved_(parameters.weights().clone()) {
  const torch::NoGradGuard no_grad;
  parameters_.weights().copy_(optimizer.average());
}

AveragedWeights::~AveragedWeights() {
  const torch::NoGradGuard no_grad;
  parameters_.weights().copy_(saved_);
}

}  // namespace calfvo::train
