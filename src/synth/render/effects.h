// SPDX-License-Identifier: Apache-2.0
// What a real camera adds to the light that reaches it. Options hold a probability and a strength for each
// effect; a window of video draws its own constants from them. All probabilities at zero leave geometry.
#pragma once

#include "core/portable/noise.h"
#include "core/portable/random.h"
#include "synth/scene/scene.h"

namespace calfvo {

struct EffectsOptions {
  float rolling_shutter_probability = 0.0F;
  float max_readout_s = 0.03F;  // from the first row to the last

  float motion_blur_probability = 0.0F;
  float max_exposure_s = 0.02F;
  int blur_samples = 4;  // rays per pixel of windows with blur, 1..8

  float exposure_probability = 0.0F;
  float max_exposure_offset = 0.7F;        // stops, over the whole window
  float max_exposure_drift = 0.06F;        // stops per frame
  float exposure_step_probability = 0.0F;  // of one sudden change somewhere in the window
  float max_exposure_step = 0.6F;          // stops

  float vignetting_probability = 0.0F;
  float max_vignetting = 0.5F;  // light lost in the corner

  float noise_probability = 0.0F;
  float max_noise = 8.0F;  // standard deviation in grey levels

  float grey_probability = 0.0F;

  float jpeg_probability = 0.0F;
  float min_jpeg_quality = 25.0F;  // 1..100, as encoders count

  float tone_probability = 0.0F;
  float max_gamma = 0.35F;          // of the logarithm of the exponent
  float max_color_balance = 0.15F;  // of the logarithm of each channel's gain

  float metering_probability = 0.0F;  // of automatic exposure, set by the first frame

  float contrast_probability = 0.0F;
  float max_contrast = 4.0F;  // of the tone curve, about its slope in the middle

  float sharpness_probability = 0.0F;  // of softer or sharper images, equally likely
  float max_softness = 1.0F;           // 1: blurred by a standard deviation of one pixel
  float max_sharpness = 1.5F;          // weight of an unsharp mask with that blur

  static EffectsOptions None() { return {}; }
  // What the shipped model is trained with.
  static EffectsOptions Training();
  // Throws Error naming the field and its value.
  void Validate() const;
};

namespace synth {

// An S-shaped tone curve from 0..1 to 0..1. Off where `steepness` is 0.
struct ToneCurve {
  float steepness = 0.0F;
  float middle = 0.0F;
  float low = 0.0F;  // of the logistic function at 0
  float scale = 1.0F;

  CALFVO_HD float Logistic(float x) const { return 1.0F / (1.0F + expf(steepness * (middle - x))); }
  CALFVO_HD float At(float x) const { return steepness > 0.0F ? (Logistic(x) - low) * scale : x; }
};

CALFVO_HD ToneCurve MakeToneCurve(float contrast, float middle) {
  ToneCurve curve{4.0F * contrast, middle, 0.0F, 1.0F};
  curve.low = curve.Logistic(0.0F);
  curve.scale = 1.0F / (curve.Logistic(1.0F) - curve.low);
  return curve;
}

// The constants of one window of video; the defaults change nothing.
struct WindowEffects {
  float readout_s = 0.0F;
  float exposure_s = 0.0F;
  int samples = 0;      // rays per pixel; 0: the renderer's own number
  float target = 0.0F;  // mean of values, 0..1, before `gain` and `curve`, of automatic exposure; 0: off
  float metered_gain = 1.0F;  // what brings them there, see SetExposure
  float gain = 1.0F;
  float drift = 0.0F;  // stops per frame
  int step_frame = 1 << 30;
  float step = 0.0F;  // stops, from step_frame on
  float vignetting = 0.0F;
  float noise = 0.0F;  // grey levels
  int grey = 0;
  int jpeg_quality = 0;  // 0: off
  float gamma = 1.0F;
  Vec3 balance{1.0F, 1.0F, 1.0F};
  ToneCurve curve;
  float sharpness = 0.0F;  // negative: softer
};

CALFVO_HD WindowEffects DrawEffects(const EffectsOptions& options, int frames, portable::Random random) {
  WindowEffects e;
  if (random.Chance(options.rolling_shutter_probability)) {
    e.readout_s = options.max_readout_s * random.Uniform(0.2F, 1.0F);
  }
  if (random.Chance(options.motion_blur_probability)) {
    e.exposure_s = options.max_exposure_s * random.Uniform(0.1F, 1.0F);
    e.samples = options.blur_samples;
  }
  if (random.Chance(options.exposure_probability)) {
    e.gain = exp2f(options.max_exposure_offset * random.Uniform(-1.0F, 1.0F));
    e.drift = options.max_exposure_drift * random.Uniform(-1.0F, 1.0F);
  }
  if (random.Chance(options.exposure_step_probability)) {
    e.step_frame = 1 + random.Index(frames > 1 ? frames - 1 : 1);
    e.step = options.max_exposure_step * random.Uniform(-1.0F, 1.0F);
  }
  if (random.Chance(options.vignetting_probability)) e.vignetting = options.max_vignetting * random.Uniform();
  if (random.Chance(options.noise_probability)) {
    const float share = random.Uniform();
    e.noise = options.max_noise * share * share;
  }
  e.grey = random.Chance(options.grey_probability) ? 1 : 0;
  if (random.Chance(options.jpeg_probability)) {
    e.jpeg_quality = static_cast<int>(random.Uniform(options.min_jpeg_quality, 96.0F));
  }
  if (random.Chance(options.tone_probability)) {
    e.gamma = expf(options.max_gamma * random.Uniform(-1.0F, 1.0F));
    e.balance = {expf(options.max_color_balance * random.Uniform(-1.0F, 1.0F)), 1.0F,
                 expf(options.max_color_balance * random.Uniform(-1.0F, 1.0F))};
  }
  if (random.Chance(options.metering_probability)) e.target = random.Uniform(0.34F, 0.5F);
  if (random.Chance(options.contrast_probability)) {
    const float contrast = options.max_contrast * random.Uniform(0.25F, 1.0F);
    e.curve = MakeToneCurve(contrast, random.Uniform(0.34F, 0.5F));
  }
  if (random.Chance(options.sharpness_probability)) {
    const float share = random.Uniform(-1.0F, 1.0F);
    e.sharpness = share * (share < 0.0F ? options.max_softness : options.max_sharpness);
  }
  return e;
}

// No exposure and no readout lasts longer than the frame.
CALFVO_HD void LimitToInterval(float interval_s, WindowEffects& e) {
  e.exposure_s = fminf(e.exposure_s, interval_s);
  e.readout_s = fminf(e.readout_s, interval_s);
}

// The gain of one frame: automatic exposure, offset, drift and step.
CALFVO_HD float FrameGain(const WindowEffects& e, int frame) {
  const float stops = e.drift * static_cast<float>(frame) + (frame >= e.step_frame ? e.step : 0.0F);
  return e.metered_gain * e.gain * (stops == 0.0F ? 1.0F : exp2f(stops));
}

// When, relative to the frame's time, the part `share` (0..1) of the exposure of row y falls.
CALFVO_HD float SampleTime(const WindowEffects& e, float y, int height, float share) {
  return e.readout_s * ((y + 0.5F) / static_cast<float>(height) - 0.5F) + e.exposure_s * (share - 0.5F);
}

struct Rgb8 {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
};

CALFVO_HD void Store(Rgb8 color, uint8_t* pixel) {
  pixel[0] = color.r;
  pixel[1] = color.g;
  pixel[2] = color.b;
}

CALFVO_HD float Grey(Vec3 light) {
  return 0.299F * light.x + 0.587F * light.y + 0.114F * light.z;
}

// Linear light 0..∞ to 0..1: a soft shoulder, then a square root for the display's curve.
CALFVO_HD float Compress(float light) {
  const float x = Max(light, 0.0F);
  return sqrtf(Min(x * (1.0F + 0.16F * x) / (1.0F + 0.6F * x), 1.0F));
}

// Linear light to 0..255, with the camera's own curve.
CALFVO_HD float Encode(float light, float gamma, const ToneCurve& curve) {
  const float root = Compress(light);
  return 255.0F * curve.At(gamma == 1.0F ? root : powf(root, gamma));
}

// Automatic exposure: brings the mean of the compressed light to where gamma makes it the target, by four
// stops at most.
CALFVO_HD void SetExposure(float mean, WindowEffects& e) {
  const float change = powf(e.target, 1.0F / e.gamma) / Max(mean, 1e-3F);
  e.metered_gain = Clamp(change * change, 1.0F / 16, 16.0F);
}

CALFVO_HD uint8_t ToByte(float value) {
  return static_cast<uint8_t>(Clamp(value + 0.5F, 0.0F, 255.0F));
}

// From light at pixel (x, y) of a frame to its bytes.
CALFVO_HD Rgb8 Develop(const WindowEffects& e, Vec3 light, float gain, int x, int y, int width, int height,
                       uint32_t seed) {
  if (e.vignetting > 0.0F) {
    const float u = (static_cast<float>(x) + 0.5F) / static_cast<float>(width) - 0.5F;
    const float v = (static_cast<float>(y) + 0.5F) / static_cast<float>(height) - 0.5F;
    gain *= 1.0F - e.vignetting * 2.0F * (u * u + v * v);
  }
  light = light * e.balance * gain;
  if (e.grey != 0) {
    const float grey = Grey(light);
    light = {grey, grey, grey};
  }
  Vec3 value{Encode(light.x, e.gamma, e.curve), Encode(light.y, e.gamma, e.curve),
             Encode(light.z, e.gamma, e.curve)};
  if (e.noise > 0.0F) {
    // Sums of two uniform halves: triangular, standard deviation 1/√6. More of it in the dark.
    const uint32_t r = HashCell(x, y, seed);
    const uint32_t g = e.grey != 0 ? r : HashCell(x, y, seed + 1);
    const uint32_t b = e.grey != 0 ? r : HashCell(x, y, seed + 2);
    const float s = e.noise * 2.4495F;
    value.x += s * (1.2F - value.x * (0.4F / 255)) * (UpperUnit(r) + LowerUnit(r) - 1.0F);
    value.y += s * (1.2F - value.y * (0.4F / 255)) * (UpperUnit(g) + LowerUnit(g) - 1.0F);
    value.z += s * (1.2F - value.z * (0.4F / 255)) * (UpperUnit(b) + LowerUnit(b) - 1.0F);
  }
  return {ToByte(value.x), ToByte(value.y), ToByte(value.z)};
}

// Pixel (x, y) of an image, softer or sharper as lenses and the processing of cameras leave it: nearer to
// or further from the mean of the 5 × 5 pixels around it. The border's pixels go on beyond it.
CALFVO_HD Rgb8 Sharpened(const uint8_t* rgb, int x, int y, int width, int height, float sharpness) {
  const int kWeights[5] = {1, 4, 6, 4, 1};
  int sums[3] = {0, 0, 0};
  for (int dy = -2; dy <= 2; ++dy) {
    const int row = y + dy < 0 ? 0 : (y + dy >= height ? height - 1 : y + dy);
    for (int dx = -2; dx <= 2; ++dx) {
      const int column = x + dx < 0 ? 0 : (x + dx >= width ? width - 1 : x + dx);
      const uint8_t* p = rgb + 3 * (static_cast<int64_t>(row) * width + column);
      const int weight = kWeights[dy + 2] * kWeights[dx + 2];
      for (int c = 0; c < 3; ++c) sums[c] += weight * p[c];
    }
  }
  const uint8_t* here = rgb + 3 * (static_cast<int64_t>(y) * width + x);
  uint8_t out[3];
  for (int c = 0; c < 3; ++c) {
    const auto value = static_cast<float>(here[c]);
    out[c] = ToByte(value + sharpness * (value - static_cast<float>(sums[c]) / 256.0F));
  }
  return {out[0], out[1], out[2]};
}

}  // namespace synth
}  // namespace calfvo
