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

// What a network says of a batch, pair by pair; adds to `pairs`. Without gradients.
void EstimatePairs(TrainNetworkImpl& network, const WindowBatch& batch, const LossOptions& units,
                   std::vector<ScoredPair>& pairs);

class HeldOut {
 public:
  // Windows are like those of training (`like`) but for scene, motion and seed, and always the same.
  HeldOut(const HeldOutOptions& options, const ProceduralOptions& like, const LossOptions& units,
          torch::Device device);

  bool empty() const { return sets_.empty(); }
  // A hash of all that scores depend on beside the network: those of different ones cannot be compared.
  // Not for an empty one.
  std::string Fingerprint() const;
  // Steps and time are the caller's to fill in. Nothing where `should_stop`, asked before each batch, said
  // so: half an evaluation tells nothing.
  std::optional<HeldOutRecord> Evaluate(TrainNetworkImpl& network, const std::function<bool()>& should_stop);

 private:
  struct Set {
    std::string name;
    ProceduralOptions windows;
  };
  const LossOptions units_;
  const torch::Device device_;
  const int windows_;  // per set
  std::vector<Set> sets_;
};

}  // namespace calfvo::train
