// SPDX-License-Identifier: Apache-2.0
// OpenProceduralStream's half for GPUs. Built only with CALFVO_CUDA.
#pragma once

#include <torch/types.h>

#include <memory>

#include "data/procedural_options.h"
#include "data/window_stream.h"

namespace calfvo::train {

std::unique_ptr<WindowStream> OpenCudaProceduralStream(const ProceduralOptions& options,
                                                       torch::Device device);

}  // namespace calfvo::train
