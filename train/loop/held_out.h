// SPDX-License-Identifier: Apache-2.0
// Evaluation on windows that training never sees.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/procedural_options.h"
#include "data/window_stream.h"
#include "loop/train_log.h"
#include "loop/train_options.h"
#include "network/train_network.h"

namespace calfvo::train {

// Appends the network's estimates for a batch to `pairs`, pair by pair. Without gradients.
void EstimatePairs(TrainNetworkImpl& network, const WindowBatch& batch, const LossOptions& units,
                   std::vector<ScoredPair>& pairs);

// What the network makes of one window, for people to see.
struct HeldOutExample {
  std::string set;
  torch::Tensor frames;  // [K, S, S, 3] uint8, in host memory
  std::vector<ScoredPair> pairs;
};

class HeldOut {
 public:
  // Procedural windows are like those of training but for scene, motion and seed, recorded ones are drawn
  // from the sequences of HeldOutOptions::datasets; both are always the same. Throws Error as OpenDataset and
  // OpenDatasetStream do.
  HeldOut(const TrainOptions& options, torch::Device device);
  ~HeldOut();

  bool empty() const { return sets_.empty(); }
  // A hash of all that scores depend on beside the network: those of different ones cannot be compared.
  // Not for an empty one.
  std::string Fingerprint() const;
  // Steps and time are the caller's to fill in. Returns nothing if `should_stop`, asked before each
  // batch, returns true.
  std::optional<HeldOutRecord> Evaluate(TrainNetworkImpl& network, const std::function<bool()>& should_stop);

  // Of the last evaluation: the first windows of each set, the same ones every time.
  static constexpr int64_t kExamples = 2;
  const std::vector<HeldOutExample>& examples() const { return examples_; }

 private:
  struct Set;

  void AddExamples(const Set& set, const WindowBatch& batch, const std::vector<ScoredPair>& pairs);

  const LossOptions units_;
  const torch::Device device_;
  const int windows_;  // per set
  const int64_t frames_;
  std::vector<Set> sets_;
  std::vector<HeldOutExample> examples_;
};

}  // namespace calfvo::train
