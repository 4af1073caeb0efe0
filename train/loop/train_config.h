// SPDX-License-Identifier: Apache-2.0
// Training configurations: TrainOptions in TOML files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "loop/train_options.h"

namespace calfvo::train {

struct TrainConfig {
  TrainOptions options;
  std::string text;  // the whole configuration, with what it extends and what was set, as TOML
};

// Reads a file, on top of what it extends and below `assignments` ("loop.batch=8"). Strict: unknown keys,
// wrong types and values out of range throw Error naming file, line and key.
TrainConfig ReadTrainConfig(const std::filesystem::path& path, const std::vector<std::string>& assignments);

}  // namespace calfvo::train
