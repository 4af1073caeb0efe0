// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/noise_images.h"

#include "core/portable/random.h"

namespace calfvo {

std::vector<float> NoiseImages(size_t count, size_t values, uint64_t seed) {
  std::vector<float> images(count * values);
  portable::Random random(seed);
  for (float& value : images) value = random.Uniform(-1.0F, 1.0F);
  return images;
}

}  // namespace calfvo
