// SPDX-License-Identifier: Apache-2.0
// Relative poses of a batch that was rendered on the GPU. Built only with CALFVO_CUDA.
#pragma once

#include "synth/render/cuda_renderer.h"

namespace calfvo::train {

// From the frames [windows, frames] of a batch, the first of which precede the windows, to rotation [windows,
// frames − 2, 3, 3] and translation [windows, frames − 2, 3], all in device memory, on `stream`. Errors of
// CUDA are thrown as Error.
void LaunchRelativePoses(const PosedFrame* posed, int windows, int frames, float* rotation,
                         float* translation, CudaStream stream);

}  // namespace calfvo::train
