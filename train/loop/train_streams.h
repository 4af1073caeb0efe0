// SPDX-License-Identifier: Apache-2.0
// The windows that a process of a run trains on.
#pragma once

#include <torch/types.h>

#include <memory>

#include "data/window_stream.h"
#include "loop/processes.h"
#include "loop/train_options.h"

namespace calfvo::train {

// Batches of the process's part of `loop.batch`. Procedural and recorded video have fixed numbers of windows
// in each, by their shares; datasets are drawn by share window by window. Throws Error where processes cannot
// share the batch evenly, and for folders that hold no sequences.
std::unique_ptr<WindowStream> OpenTrainStream(const TrainOptions& options, const Processes& processes,
                                              torch::Device device);

}  // namespace calfvo::train
