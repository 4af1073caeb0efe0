// SPDX-License-Identifier: Apache-2.0
#include "vo/calibration_images.h"

#include <cmath>

#include "core/portable/noise.h"

namespace calfvo {
namespace {

// In [0, 1]; (x, y) in units of the image's side.
float Shade(float x, float y, uint32_t channel) {
  float value = 0.5F;
  float amplitude = 0.35F;
  for (float cells = 3.0F; cells < 100.0F; cells *= 2.2F) {
    value += amplitude * (synth::ValueNoise(cells * x, cells * y, channel) - 0.5F);
    amplitude *= 0.75F;
  }
  // Patches of black and white, for edges and extremes.
  const float patch = synth::ValueNoise(7.0F * x, 7.0F * y, 17);
  if (patch > 0.8F) value = 1.0F;
  if (patch < 0.2F) value = 0.0F;
  return std::fmin(1.0F, std::fmax(0.0F, value));
}

}  // namespace

std::vector<float> CalibrationImages(const InputConfig& input, int count) {
  std::vector<float> values;
  const auto size = static_cast<float>(input.size);
  for (int image = 0; image < count; ++image) {
    const float shift = 0.02F * static_cast<float>(image);
    for (size_t channel = 0; channel < 3; ++channel) {
      const auto mean = static_cast<float>(input.mean[channel]);
      const auto deviation = static_cast<float>(input.std[channel]);
      for (int i = 0; i < input.size * input.size; ++i) {
        const float x = static_cast<float>(i % input.size) / size + shift;
        const float y = static_cast<float>(i / input.size) / size + 0.5F * shift;
        values.push_back((Shade(x, y, static_cast<uint32_t>(channel)) - mean) / deviation);
      }
    }
  }
  return values;
}

}  // namespace calfvo
