// SPDX-License-Identifier: Apache-2.0
// The sequences that a configuration names.
#pragma once

#include "data/dataset_stream.h"
#include "loop/train_options.h"

namespace calfvo::train {

// Opens the sequences below `options.path` that its split lists, from their first pose on. `verbose` logs
// missing sequences and how many frames can be used. Throws Error where none is left or one has no pose.
Dataset OpenDataset(const DatasetOptions& options, bool verbose);

}  // namespace calfvo::train
