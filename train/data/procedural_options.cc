// SPDX-License-Identifier: Apache-2.0
#include "data/procedural_options.h"

#include <fmt/format.h>

#include "calfvo/error.h"
#include "core/base/thread_pool.h"
#include "core/portable/random.h"

namespace calfvo::train {
namespace {

void CheckRange(const char* field, double value, double low, double high) {
  if (value >= low && value <= high) return;
  throw Error(fmt::format("{} is {}; expected {} to {}", field, value, low, high));
}

}  // namespace

void ProceduralOptions::Validate() const {
  CheckRange("windows", windows, 1, 65535);
  CheckRange("first_window", first_window, 0, 1 << 30);
  CheckRange("frames", frames, 2, 64);
  if (size % kCellPixels != 0) {
    throw Error(fmt::format("size is {}; expected a multiple of {}", size, kCellPixels));
  }
  CheckRange("min_rate_hz", min_rate_hz, 1.0, 1000.0);
  CheckRange("max_rate_hz", max_rate_hz, min_rate_hz, 1000.0);
  CheckRange("recorded_probability", recorded_probability, 0.0, 1.0);
  CheckRange("threads", threads, 0, ThreadPool::kMaxThreads);
  ClipOptions clip;  // knows the rest
  clip.frames = frames;
  clip.width = size;
  clip.height = size;
  clip.samples = samples;
  clip.sensor = sensor;
  clip.effects = effects;
  clip.scene_weights = scene_weights;
  clip.motion_weights = motion_weights;
  clip.segments = segments;
  clip.Validate();
}

uint64_t BatchSeed(uint64_t seed, int64_t step) {
  return portable::Mix(portable::Mix(seed) + static_cast<uint64_t>(step));
}

}  // namespace calfvo::train
