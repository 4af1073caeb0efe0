// SPDX-License-Identifier: Apache-2.0
// Renders batches of windows of video on a GPU, straight into its memory: scenes, cameras, effects, frames
// and ground truth for training, without a round trip to the host. Built only with CALFVO_CUDA.
#pragma once

#include <cstdint>
#include <memory>

#include "synth/render/camera_model.h"
#include "synth/render/effects.h"
#include "synth/render/textures.h"
#include "synth/scene/posed_frame.h"
#include "synth/scene/scene.h"

struct CUstream_st;

namespace calfvo {

using CudaStream = CUstream_st*;  // what the CUDA runtime calls cudaStream_t

struct WindowBatchOptions {
  int windows = 64;  // B
  int frames = 8;    // K, per window
  int width = 224;
  int height = 224;
  int cell = 8;        // pixels: side of the square cells whose motion is computed
  int samples = 2;     // rays per pixel where effects do not ask for more, 1..8
  bool depth = false;  // whether to fill DeviceBatch::depth, one more ray per pixel
  float kind_weights[kSceneKindCount] = {3.0F, 1.0F, 1.0F, 1.0F, 3.0F, 1.0F, 0.5F, 0.5F};
  EffectsOptions effects = EffectsOptions::Training();
  SensorOptions sensors;

  void Validate() const;  // throws Error naming the field
};

// Device memory owned by a CudaWindowRenderer. h = height / cell, w = width / cell.
struct DeviceBatch {
  synth::Scene* scenes = nullptr;           // [B]
  CameraModel* cameras = nullptr;           // [B]
  synth::WindowEffects* effects = nullptr;  // [B]
  PosedFrame* frames = nullptr;             // [B, K] input of Render: poses, velocities and times
  uint8_t* rgb = nullptr;                   // [B, K, H, W, 3]
  float* depth = nullptr;                   // [B, K, H, W] metres, +inf for sky; null unless asked for
  float* cell_depth = nullptr;              // [B, K, h, w] at the middles of the cells
  float* cell_to_next = nullptr;      // [B, K, h, w, 2] pixels; NaN where unknown, also in frame K − 1
  float* cell_to_previous = nullptr;  // [B, K, h, w, 2] the same towards the frame before
};

// One batch at a time, all work queued on the caller's stream:
//   renderer.MakeScenes(seed, stream);   // scenes, cameras, effects
//   ... a kernel that writes device().frames from device().scenes, such as synth/clip/cuda_motion.h's ...
//   renderer.Render(seed, stream);       // images and ground truth
// Equal seeds give equal bytes. Errors of CUDA are thrown as Error. Two renderers on two streams overlap the
// making of scenes, which fills a small part of the GPU, with rendering.
class CudaWindowRenderer {
 public:
  // Copies `textures` (host memory) to the device.
  explicit CudaWindowRenderer(const WindowBatchOptions& options, synth::TextureView textures = {});
  ~CudaWindowRenderer();
  CudaWindowRenderer(CudaWindowRenderer&&) noexcept;
  CudaWindowRenderer& operator=(CudaWindowRenderer&&) noexcept;

  void MakeScenes(uint64_t seed, CudaStream stream);
  void Render(uint64_t seed, CudaStream stream);

  const DeviceBatch& device() const;
  const WindowBatchOptions& options() const;

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace calfvo
