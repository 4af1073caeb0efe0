// SPDX-License-Identifier: Apache-2.0
// From what a user calls a model to its file.
#pragma once

#include <filesystem>
#include <string>

#include "weights/model_file.h"

namespace calfvo {

// A model and where it came from.
struct ChosenModel {
  ModelFile file;
  std::filesystem::path path;  // empty for random weights
  std::string name;            // as the user said it
};

// Whether `name` is that of a file. A folder is none: the results of a model may well be in one that is
// called like it.
bool IsModelFileName(const std::string& name);

// `name` is a file; a name such as calfvo-s, looked up as calfvo-s.safetensors in the folder $CALFVO_MODELS,
// then beside the installed program, then in the source tree it was built from; or random:calfvo-s:SEED for
// random weights, which estimate nonsense at full speed and whose configuration has that name, always with
// the seed, so that no result of theirs passes for one of calfvo-s. A model found by name must have the hash
// that SHA256SUMS beside it gives, if it is listed there. Throws Error saying where it looked, or what is
// wrong with the file.
ChosenModel OpenModel(const std::string& name);

}  // namespace calfvo
