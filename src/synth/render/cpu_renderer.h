// SPDX-License-Identifier: Apache-2.0
// Renders frames on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/render/camera_model.h"
#include "synth/render/effects.h"
#include "synth/render/textures.h"
#include "synth/scene/posed_frame.h"
#include "synth/scene/scene.h"

namespace calfvo {

class ThreadPool;

// Outputs beside the image.
struct RenderOptions {
  int samples = 2;     // rays per pixel, 1..8
  bool depth = true;   // costs one more ray per pixel
  bool motion = true;  // where neighbours are given; needs the depth's ray too
};

// One frame, rows from the top. Motion is NaN where it is not known: no neighbour was given, or the point is
// not in the neighbour's image. The sky moves as things at infinity do.
struct FrameOutputs {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;               // [H, W, 3]
  std::vector<float> depth;               // [H, W] metres along the optical axis, +inf for sky
  std::vector<int32_t> primitive;         // [H, W] what is seen: an index, synth::kGround or synth::kNothing
  std::vector<float> motion_to_next;      // [H, W, 2] pixels (x, y)
  std::vector<float> motion_to_previous;  // [H, W, 2]
};

// The ground truth at the middles of square cells, as the GPU writes it for training.
struct CellOutputs {
  int columns = 0;
  int rows = 0;
  std::vector<float> depth;               // [rows, columns] metres, +inf for sky
  std::vector<float> motion_to_next;      // [rows, columns, 2] pixels
  std::vector<float> motion_to_previous;  // [rows, columns, 2]
};

// Same inputs, same bytes, for any number of threads.
class CpuRenderer {
 public:
  // Borrows both; `textures` may be empty.
  explicit CpuRenderer(ThreadPool& threads, synth::TextureView textures = {})
      : threads_(threads), textures_(textures) {}

  // Renders frames[index] of a sequence of `count` whose poses and velocities are set (SetVelocities); the
  // frames before and after it serve as neighbours. `seed` varies the noise from frame to frame and sequence
  // to sequence.
  FrameOutputs Render(const synth::Scene& scene, const CameraModel& camera, const PosedFrame* frames,
                      int count, int index, const synth::WindowEffects& effects, uint64_t seed,
                      const RenderOptions& options = {}) const;

  // Sets the automatic exposure of `effects`, where it is on, by the first frame.
  void Meter(const synth::Scene& scene, const CameraModel& camera, const PosedFrame& first,
             synth::WindowEffects& effects) const;

  // As Render, for cells of `cell` pixels, without an image. The middle of a cell lies between pixels when
  // `cell` is even.
  CellOutputs RenderCells(const synth::Scene& scene, const CameraModel& camera, const PosedFrame* frames,
                          int count, int index, const synth::WindowEffects& effects, int cell) const;

 private:
  ThreadPool& threads_;
  synth::TextureView textures_;
};

// What JPEG at effects.jpeg_quality does to an [H, W, 3] image.
void ApplyJpeg(uint8_t* rgb, int width, int height, int quality, ThreadPool& threads);

}  // namespace calfvo
