// SPDX-License-Identifier: Apache-2.0
// The options of a clip of procedural video. Presets (preset.h) and the flags of `calfvo synth` set these.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "io/video/frame_rate.h"
#include "synth/motion/motion_kind.h"
#include "synth/motion/real_segment.h"
#include "synth/render/camera_model.h"
#include "synth/render/effects.h"
#include "synth/scene/scene_kind.h"

namespace calfvo {

// How often each kind is drawn, relative to the others; not negative.
using SceneWeights = std::array<float, kSceneKindCount>;
using MotionWeights = std::array<float, motion::kMotionKindCount>;

// Motions that are plausible in a scene: no vehicles in a room.
MotionWeights UsualMotions(SceneKind scene);

// A pinhole camera in the middle of its image, f/W from 0.6 to 1.
SensorOptions PlainSensor();

// The defaults give geometry alone: no effects, no distortion.
struct ClipOptions {
  std::optional<SceneKind> scene;            // unset: drawn from scene_weights
  std::optional<motion::MotionKind> motion;  // unset: drawn from motion_weights of the scene
  uint64_t seed = 0;
  int frames = 150;
  FrameRate rate{30, 1};
  int width = 640;  // pixels
  int height = 480;
  int samples = 2;     // rays per pixel, 1..8
  bool depth = false;  // whether frames carry depth and motion
  bool flow = false;
  double movers = 0.0;  // share of the image that moving objects cover (mover_layer.h)

  SensorOptions sensor = PlainSensor();
  // fx = fy, as in a video as it comes from a camera. Otherwise a sensor of a random shape is squeezed into
  // the image, as networks with a fixed input size see it.
  bool square_pixels = true;
  EffectsOptions effects;

  SceneWeights scene_weights = DefaultSceneWeights();
  std::array<MotionWeights, kSceneKindCount> motion_weights = DefaultMotionWeights();

  // Where set: images for surfaces, and recorded paths to take motion from, in place of generated motion.
  std::filesystem::path textures;
  std::filesystem::path trajectories;
  motion::RealSegmentOptions segments;

  // Throws Error naming the field, its value and what is expected.
  void Validate() const;

  static SceneWeights DefaultSceneWeights();
  static std::array<MotionWeights, kSceneKindCount> DefaultMotionWeights();
};

}  // namespace calfvo
