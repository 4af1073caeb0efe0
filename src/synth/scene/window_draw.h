// SPDX-License-Identifier: Apache-2.0
// What each window of a batch draws from the seed of the batch, the same on the host and on the GPU.
#pragma once

#include "core/portable/random.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

enum class WindowPart : uint64_t { kScene, kKind, kSensor, kEffects, kMotion };

// The seed of one part of window `window`.
CALFVO_HD uint64_t WindowSeed(uint64_t batch_seed, int window, WindowPart part) {
  return portable::Mix(portable::Mix(batch_seed) + static_cast<uint64_t>(window) * 8U +
                       static_cast<uint64_t>(part));
}

// A kind with a probability in proportion to its weight.
CALFVO_HD SceneKind DrawKind(const float* weights, portable::Random random) {
  float total = 0.0F;
  for (int i = 0; i < kSceneKindCount; ++i) total += weights[i];
  float left = random.Uniform() * total;
  for (int i = 0; i < kSceneKindCount; ++i) {
    left -= weights[i];
    if (left < 0.0F) return static_cast<SceneKind>(i);
  }
  return SceneKind::kRoom;
}

}  // namespace calfvo::synth
