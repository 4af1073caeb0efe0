// SPDX-License-Identifier: Apache-2.0
// The shapes of the images of a batch that was rendered on the GPU. Built only with CALFVO_CUDA.
#pragma once

#include "synth/render/cuda_renderer.h"

namespace calfvo::train {

// log2 of each camera's ImageAspect, [windows] both, in device memory, on `stream`. Errors of CUDA are
// thrown as Error.
void LaunchLogAspects(const CameraModel* cameras, int windows, float* log_aspect, CudaStream stream);

}  // namespace calfvo::train
