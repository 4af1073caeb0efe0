// SPDX-License-Identifier: Apache-2.0
// A configuration that trains in a blink. Included by tests only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace calfvo::train {

inline std::filesystem::path TinyConfigFile() {
  return std::filesystem::path(CALFVO_TRAIN_CONFIGS) / "tiny.toml";
}

// On top of tiny.toml: windows of three frames of 32 × 32 pixels and no evaluation.
inline std::vector<std::string> BlinkAssignments() {
  return {"model.window=3",         "model.input.size=32",     "loop.batch=4",
          "loop.device=cpu",        "loop.log_every=5",        "held_out.sets=[]",
          "schedule.steps=20",      "schedule.warmup_steps=2", "data.procedural.threads=1",
          "loop.checkpoint_every=5"};
}

}  // namespace calfvo::train
