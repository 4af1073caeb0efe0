// SPDX-License-Identifier: Apache-2.0
// One step of training: forward, loss, backward, exchange, clipping, AdamW or Muon, average.
#pragma once

#include <cstdint>
#include <optional>

#include "loop/flat_parameters.h"
#include "loop/gradient_exchange.h"
#include "loop/optimizer.h"
#include "loop/processes.h"
#include "loop/step_graph.h"
#include "loop/token_cache.h"
#include "loss/pose_loss.h"
#include "network/train_network.h"

namespace calfvo::train {

struct StepOptions {
  LossOptions loss;
  OptimizerOptions optimizer;
  bool cuda_graph = false;
  // Above 0, the encoder is frozen, and tokens are kept in so much memory of the device (token_cache.h).
  int64_t token_cache_bytes = 0;
};

// Means over steps.
struct StepMeans {
  int64_t steps = 0;
  double loss = 0.0;
  double rotation_deg = 0.0;
  double translation_m = 0.0;
  double motion = 0.0;
  double gradient_norm = 0.0;  // of the last step
  int64_t skipped = 0;
};

class TrainStep {
 public:
  // Borrows `processes`. The network is on the device it will stay on.
  TrainStep(TrainNetwork network, const StepOptions& options, Processes& processes);

  // Waits for nothing but, with a graph, the step before the last few (step_graph.h). Every batch has the
  // shapes of the first.
  void Take(const WindowBatch& batch, int64_t step, double learning_rate);

  // Since the last Reset, of this process. Waits for the device.
  StepMeans ReadMeans() const;
  void ResetMeans();

  TrainNetwork& network() { return network_; }
  FlatParameters& parameters() { return parameters_; }
  Optimizer& optimizer() { return optimizer_; }

 private:
  void CopyIn(const WindowBatch& batch);
  void Backward();

  TrainNetwork network_;
  const StepOptions options_;
  FlatParameters parameters_;
  Optimizer optimizer_;
  const bool several_;  // processes
  GradientExchange exchange_;
  StepGraph graph_;
  std::optional<TokenCache> token_cache_;
  WindowBatch input_;     // what a graph reads
  torch::Tensor tokens_;  // likewise, with the cache, which then takes the place of the images
  torch::Tensor sums_;    // [4]: loss, rotation, translation, motion
  int64_t steps_ = 0;
};

}  // namespace calfvo::train
