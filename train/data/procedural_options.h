// SPDX-License-Identifier: Apache-2.0
// The options of procedural windows for training.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "synth/clip/clip_options.h"

namespace calfvo::train {

struct ProceduralOptions {
  uint64_t seed = 0;  // held-out windows are those of another seed
  int windows = 64;   // B, per batch
  // The batch's place in a larger one that several processes share. On the CPU they together see the very
  // windows that one process would see; on GPUs, others from the same distribution.
  int first_window = 0;
  int frames = 8;   // K, per window
  int size = 224;   // pixels, both sides; a multiple of the 8 pixels of a cell
  int samples = 2;  // rays per pixel where effects do not ask for more, 1..8

  SceneWeights scene_weights = {3.0F, 1.0F, 1.0F, 1.0F, 3.0F, 1.0F, 0.5F, 0.5F};
  std::array<MotionWeights, kSceneKindCount> motion_weights = ClipOptions::DefaultMotionWeights();
  EffectsOptions effects = EffectsOptions::Training();
  SensorOptions sensor;
  float min_rate_hz = 6.0F;  // frames per second, drawn per window; see DrawRate
  float max_rate_hz = 60.0F;

  // Where set: images for surfaces, and recorded paths to take motion from.
  std::filesystem::path textures;
  std::filesystem::path trajectories;
  float recorded_probability = 0.5F;  // of a recorded path in place of generated motion, where one fits
  motion::RealSegmentOptions segments;

  int threads = 0;  // that render on the CPU; 0 means one per core

  // Throws Error naming the field, its value and what is expected.
  void Validate() const;
};

inline constexpr int kCellPixels = 8;  // of WindowBatch::motion

// The seed of all that is drawn for one batch.
uint64_t BatchSeed(uint64_t seed, int64_t step);

}  // namespace calfvo::train
