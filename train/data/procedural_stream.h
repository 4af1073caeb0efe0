// SPDX-License-Identifier: Apache-2.0
// Windows of procedural video, made as training goes.
#pragma once

#include <torch/types.h>

#include <memory>

#include "data/procedural_options.h"
#include "data/window_stream.h"

namespace calfvo::train {

// On a CUDA device everything is made there: batch n + 1 is rendered on a stream of its own while the caller
// works with batch n. The caller's work is that on the stream which is current when At is called; At waits
// for nothing on the host, and must not be called while a graph is captured.
//
// On the CPU windows are rendered when asked for. They are drawn from the same distributions and, but for the
// camera's path, by the same numbers as on the GPU. The number of threads changes nothing.
//
// Throws Error for options that make no sense, folders that cannot be read, devices of other kinds, and a
// CUDA device where this build has no GPU parts.
std::unique_ptr<WindowStream> OpenProceduralStream(const ProceduralOptions& options, torch::Device device);

}  // namespace calfvo::train
