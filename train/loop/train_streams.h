// SPDX-License-Identifier: Apache-2.0
// The windows that a process of a run trains on.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>

#include "data/window_stream.h"
#include "loop/processes.h"
#include "loop/train_options.h"

namespace calfvo::train {

// Batches of the process's part of a step (LoopOptions::Windows). Procedural and recorded video have fixed
// numbers of windows in the whole batch, by their shares, and processes have each as evenly as can be;
// datasets are drawn by share window by window. Throws Error where processes cannot share the batch evenly,
// where a share above 0 is less than one window, and for folders that hold no sequences. Fills the cache of
// images first (image_cache.h); null if `should_stop` ends that.
std::unique_ptr<WindowStream> OpenTrainStream(
    const TrainOptions& options, Processes& processes, torch::Device device,
    const std::function<bool()>& should_stop = [] { return false; }, bool quiet = true);

// The factor for a mean over this process's procedural windows that makes each of them count the same in the
// mean over processes, which may have unequal numbers of them.
double ProceduralWeight(const TrainOptions& options, const Processes& processes);

}  // namespace calfvo::train
