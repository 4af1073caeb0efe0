// SPDX-License-Identifier: Apache-2.0
#include "loop/train_step.h"

#include <utility>

namespace calfvo::train {

TrainStep::TrainStep(TrainNetwork network, const StepOptions& options, Processes& processes)
    : network_(std::move(network)),
      options_(options),
      parameters_(*network_),
      optimizer_(parameters_, options.optimizer),
      several_(processes.size() > 1),
      exchange_(processes, parameters_, !options.cuda_graph),
      graph_(options.cuda_graph),
      sums_(torch::zeros({4}, parameters_.weights().options())) {
  if (options.token_cache_bytes > 0) token_cache_.emplace(network_, options.token_cache_bytes);
}

void TrainStep::Take(const WindowBatch& batch, int64_t step, double learning_rate) {
  CopyIn(batch);
  optimizer_.Prepare(step, learning_rate);
  if (several_) {
    exchange_.Start();
    graph_.Run([this] { Backward(); });
    exchange_.Finish();
    optimizer_.Update();
  } else {
    graph_.Run([this] {
      Backward();
      optimizer_.Update();
    });
  }
  ++steps_;
}

void TrainStep::CopyIn(const WindowBatch& batch) {
  torch::Tensor tokens;
  if (token_cache_) tokens = token_cache_->Tokens(batch);
  if (!options_.cuda_graph) {
    input_ = batch;
    tokens_ = tokens;
    return;
  }
  const auto copy = [](torch::Tensor& to, const torch::Tensor& from) {
    if (!from.defined()) return;
    if (!to.defined()) to = torch::empty_like(from);
    to.copy_(from);
  };
  if (token_cache_) {
    copy(tokens_, tokens);
  } else {
    copy(input_.frames, batch.frames);
    copy(input_.before, batch.before);
  }
  copy(input_.log_aspect, batch.log_aspect);
  copy(input_.rotation, batch.rotation);
  copy(input_.translation, batch.translation);
  copy(input_.motion, batch.motion);
}

void TrainStep::Backward() {
  parameters_.ZeroGradients();
  const NetworkOutput output = token_cache_
                                   ? network_->Decode(tokens_, input_.log_aspect)
                                   : network_->forward(input_.frames, input_.before, input_.log_aspect);
  const LossTerms terms =
      PoseLoss(output.values, output.motion, input_, network_->config().head, options_.loss);
  terms.total.backward();
  parameters_.CollectGradients();
  sums_.add_(torch::stack({terms.total.detach(), terms.rotation_deg, terms.translation_m, terms.motion}));
}

StepMeans TrainStep::ReadMeans() const {
  const torch::Tensor read =
      torch::cat({sums_, optimizer_.gradient_norm().view({1}), optimizer_.skipped().view({1})}).cpu();
  const float* values = read.data_ptr<float>();
  const auto mean = [&](int i) { return static_cast<double>(values[i]) / static_cast<double>(steps_); };
  return {.steps = steps_,
          .loss = mean(0),
          .rotation_deg = mean(1),
          .translation_m = mean(2),
          .motion = mean(3),
          .gradient_norm = values[4],
          .skipped = static_cast<int64_t>(values[5])};
}

void TrainStep::ResetMeans() {
  steps_ = 0;
  sums_.zero_();
  optimizer_.ResetSkipped();
}

}  // namespace calfvo::train
