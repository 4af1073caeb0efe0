// SPDX-License-Identifier: Apache-2.0
// The launches behind CudaWindowRenderer, split over two sources: scenes are made with exact, unfused
// arithmetic, so that they equal the host's; images are rendered with fast arithmetic.
#pragma once

#include <cstdint>

#include "synth/render/cuda_renderer.h"
#include "synth/scene/movers.h"

namespace calfvo::synth {

// cuda_scenes.cu
void LaunchMakeScenes(const WindowBatchOptions& options, const DeviceBatch& batch, uint64_t seed,
                      CudaStream stream);

// Working memory of a batch.
struct RenderMemory {
  MoverTable* movers = nullptr;    // [B, K]
  uint8_t* unsharpened = nullptr;  // as DeviceBatch::rgb; null where sharpness_probability is 0
};

// cuda_render.cu
void LaunchRender(const WindowBatchOptions& options, const DeviceBatch& batch, const RenderMemory& memory,
                  TextureView textures, uint64_t seed, CudaStream stream);

// Throws Error naming `what` when the last launch failed.
void CheckLaunch(const char* what);

}  // namespace calfvo::synth
