// SPDX-License-Identifier: Apache-2.0
#include "speed/noise_pictures.h"

#include "portable/random.h"

namespace calfvo {

std::vector<float> NoisePictures(size_t count, size_t values, uint64_t seed) {
  std::vector<float> pictures(count * values);
  portable::Random random(seed);
  for (float& value : pictures) value = random.Uniform(-1.0F, 1.0F);
  return pictures;
}

}  // namespace calfvo
