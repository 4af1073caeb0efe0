// SPDX-License-Identifier: Apache-2.0
// A training run from its first step, or from a checkpoint, to its end.
//
// Its folder holds config.toml, log.jsonl, curves.html, checkpoint-STEP.safetensors, model.safetensors (the
// averaged weights of the best held-out evaluation) and model-last.safetensors (those of the last step).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "loop/checkpoint.h"
#include "loop/processes.h"
#include "loop/train_config.h"

namespace calfvo::train {

struct RunRequest {
  TrainConfig config;
  std::filesystem::path folder;
  bool resume = false;        // from the newest checkpoint of the folder, if it has one
  bool another_seed = false;  // resume also where the checkpoint has another seed: with other windows
  bool quiet = false;
};

struct RunResult {
  RunState state;
  bool finished = false;  // or stopped before its end, with a checkpoint
};

// The device that the options ask for.
torch::Device ChooseDevice(DeviceChoice choice, const ProcessPlace& place);

// Trains. `should_stop(steps_done)` is asked after each step, by several processes every log_every steps; the
// run then saves a checkpoint and returns. It is asked before each batch of an evaluation, too, which is then
// broken off; unless others train on beside it, the resumed run begins with it. Throws Error where the loss
// is not finite or explodes or the device or the data fail, which keeps the last good checkpoint, where the
// folder already holds another run, where the model does not fit into memory, and for files that cannot be
// read or written.
RunResult TrainRun(const RunRequest& request, Processes& processes, torch::Device device,
                   const std::function<bool(int64_t steps_done)>& should_stop);

}  // namespace calfvo::train
