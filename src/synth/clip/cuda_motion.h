// SPDX-License-Identifier: Apache-2.0
// Camera motion for batches of windows on the GPU: what camera_path.h does for a clip, for all windows of a
// CudaWindowRenderer at once. Built only with CALFVO_CUDA.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "synth/clip/clip_options.h"
#include "synth/motion/real_segment.h"
#include "synth/render/cuda_renderer.h"

namespace calfvo {

struct WindowMotionOptions {
  std::array<MotionWeights, kSceneKindCount> motion_weights = ClipOptions::DefaultMotionWeights();
  float min_rate_hz = 6.0F;  // frames per second, drawn per window; see DrawRate
  float max_rate_hz = 60.0F;
  // Of taking a piece of a recorded path instead of generated motion, where there are recordings and it fits.
  float recorded_probability = 0.5F;
  motion::RealSegmentOptions segments;

  void Validate() const;  // throws Error naming the field
};

// Writes the frames of a batch between MakeScenes and Render, on the same stream, without a round trip to the
// host:
//   renderer.MakeScenes(seed, stream);
//   motion.Fill(renderer, seed, stream);
//   renderer.Render(seed, stream);
class CudaWindowMotion {
 public:
  // `records` are RealPaths::records(), copied to the device, or empty. Windows have at most kMaxFrames
  // frames.
  static constexpr int kMaxFrames = 64;
  explicit CudaWindowMotion(const WindowMotionOptions& options, const std::vector<float>& records = {});
  ~CudaWindowMotion();
  CudaWindowMotion(CudaWindowMotion&&) noexcept;
  CudaWindowMotion& operator=(CudaWindowMotion&&) noexcept;

  void Fill(const CudaWindowRenderer& renderer, uint64_t seed, CudaStream stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace calfvo
