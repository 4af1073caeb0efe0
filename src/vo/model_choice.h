// SPDX-License-Identifier: Apache-2.0
// Finds model files by name.
#pragma once

#include <filesystem>
#include <string>

#include "nn/architecture/model_file.h"

namespace calfvo {

// A model and where it came from.
struct ChosenModel {
  ModelFile file;
  std::filesystem::path path;  // empty for random weights
  std::string name;            // as the user gave it
};

// Whether `name` is the name of a file. A folder of that name does not count: it may hold a model's results.
bool IsModelFileName(const std::string& name);

// `name` is a file; a name such as calfvo-s, looked up as calfvo-s.safetensors in the folder $CALFVO_MODELS,
// then beside the installed program, then in the source tree it was built from; or random:calfvo-s:SEED for
// random weights, which estimate nonsense at full speed and whose configuration has that name, always with
// the seed, so that no result of theirs passes for one of calfvo-s. A model found by name must have the hash
// that SHA256SUMS beside it gives, if it is listed there. Throws Error saying where it looked, or what is
// wrong with the file.
ChosenModel OpenModel(const std::string& name);

}  // namespace calfvo
