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
// in the whole batch, by their shares, and processes have each as evenly as can be; datasets are drawn by
// share window by window. Throws Error where processes cannot share the batch evenly, where a share above 0
// is no window of it, and for folders that hold no sequences.
std::unique_ptr<WindowStream> OpenTrainStream(const TrainOptions& options, const Processes& processes,
                                              torch::Device device);

// What a mean over the process's procedural windows is to be multiplied with, so that in the mean over
// processes, which may have unequal numbers of them, each of those windows counts the same.
double ProceduralWeight(const TrainOptions& options, const Processes& processes);

}  // namespace calfvo::train
