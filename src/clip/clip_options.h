// SPDX-License-Identifier: Apache-2.0
// What a clip of procedural video is made from. Presets (preset.h) and the flags of `calfvo synth` set these.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "frames/frame_rate.h"
#include "motion/motion_kind.h"
#include "motion/real_segment.h"
#include "synth/camera_model.h"
#include "synth/effects.h"
#include "synth/scene_kind.h"

namespace calfvo {

// How often each kind is drawn, relative to the others; not negative.
using SceneWeights = std::array<float, kSceneKindCount>;
using MotionWeights = std::array<float, motion::kMotionKindCount>;

// Motions that make sense in a scene: nobody drives through a room.
MotionWeights UsualMotions(SceneKind scene);

// A pinhole camera in the middle of its picture, f/W from 0.6 to 1.
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

  SensorOptions sensor = PlainSensor();
  // fx = fy, as in a video as it comes from a camera. Otherwise a sensor of a random shape is squeezed into
  // the picture, as networks with a fixed input size see it.
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
