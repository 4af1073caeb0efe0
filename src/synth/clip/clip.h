// SPDX-License-Identifier: Apache-2.0
// A clip of procedural video with its ground truth, one frame at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "calfvo/geometry.h"
#include "synth/clip/camera_path.h"
#include "synth/clip/clip_options.h"
#include "synth/clip/mover_layer.h"
#include "synth/render/cpu_renderer.h"
#include "synth/render/texture_pool.h"

namespace calfvo {

// `image.depth` and `image.motion_to_next` are there where ClipOptions asked for them.
struct ClipFrame {
  int index = 0;
  int64_t timestamp_ns = 0;
  Rigid3 world_from_camera;  // at the middle of the exposure of the middle row
  FrameOutputs image;
  // [H, W]: 0 where something moves by itself, painted or of the scene, else 255; empty without
  // ClipOptions::movers.
  std::vector<uint8_t> mask = {};
};

// Draws the scene, the camera, its path and its faults when made, then renders on demand. Everything follows
// from the options; the number of threads changes nothing. Memory: one frame, and 50 bytes per pose.
//
//   ThreadPool threads;
//   Clip clip({.scene = SceneKind::kRoom, .seed = 7}, threads);
//   while (const auto frame = clip.Next()) …
class Clip {
 public:
  // Borrows `threads`. Throws Error for options that make no sense, folders that cannot be read, and recorded
  // paths none of which fits into the scene.
  Clip(const ClipOptions& options, ThreadPool& threads);

  // The next frame, or nothing after the last.
  std::optional<ClipFrame> Next();

  const ClipOptions& options() const { return options_; }
  SceneKind scene() const { return scene_->kind; }
  motion::MotionKind motion() const { return motion_; }
  const CameraModel& camera() const { return camera_; }
  const CameraPath& path() const { return path_; }
  // As drawn for this clip. Exposure drifts and steps are in GainOf.
  const synth::WindowEffects& effects() const { return effects_; }
  // What multiplies the light of a frame beside the metered gain.
  float GainOf(int index) const;

 private:
  void DrawPath(const motion::RealPathsView& recorded, portable::Random random);
  PosedFrame PosedFrameAt(int index) const;
  void AddMovers(ClipFrame& frame) const;

  ClipOptions options_;
  motion::MotionKind motion_ = motion::MotionKind::kHandheld;
  std::unique_ptr<synth::Scene> scene_;
  CameraModel camera_;
  CameraPath path_;
  synth::WindowEffects effects_;
  float offset_stops_ = 0.0F;
  TexturePool textures_;
  CpuRenderer renderer_;
  std::optional<MoverLayer> movers_;
  uint64_t noise_seed_ = 0;
  int next_ = 0;
};

}  // namespace calfvo
