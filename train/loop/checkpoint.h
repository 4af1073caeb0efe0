// SPDX-License-Identifier: Apache-2.0
// The state of a run in a file, from which it continues as if it had not stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "loop/flat_parameters.h"
#include "loop/optimizer.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

struct RunState {
  int64_t steps_done = 0;
  double elapsed_s = 0.0;  // over all parts of the run
  // The least score of the held-out evaluations so far, and the steps done then.
  double best_score = std::numeric_limits<double>::infinity();
  int64_t best_step = -1;
  // What was evaluated, as HeldOut::Fingerprint(). Empty if nothing was, or by an older version.
  std::string held_out;
};

// Writes weights, averaged weights, moments and `state` as one safetensors file, whole or not at all. `seed`
// is what batches depend on beside the step, `model` what the weights mean.
void SaveCheckpoint(const std::filesystem::path& path, const RunState& state, uint64_t seed,
                    const ModelConfig& model, const FlatParameters& parameters, const Optimizer& optimizer);

// Fills the tensors of `parameters` and `optimizer`. Throws Error naming the file where it is damaged, or
// belongs to another network or, unless `another_seed`, to another seed.
RunState LoadCheckpoint(const std::filesystem::path& path, uint64_t seed, bool another_seed,
                        const ModelConfig& model, const FlatParameters& parameters,
                        const Optimizer& optimizer);

// The checkpoints of a run: checkpoint-STEP.safetensors in its folder.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path PathAt(int64_t steps_done) const;
  std::optional<std::filesystem::path> Newest() const;
  // Removes all but the `keep` newest and the one after `best_step` steps.
  void Prune(int keep, int64_t best_step) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace calfvo::train
