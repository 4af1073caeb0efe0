// SPDX-License-Identifier: Apache-2.0
// The table [model] of training configurations.
#pragma once

#include <string>

#include "core/config/toml_reader.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

// A configuration by name (`base`) with changes, in the keys of docs/network.md. Throws Error naming file,
// line and key.
ModelConfig ReadModel(TomlTable table);

// The first key in which a file's ModelConfigJson differs from the run's, with both values, for a message.
std::string ModelDifference(const std::string& of_file, const std::string& of_run);

}  // namespace calfvo::train
