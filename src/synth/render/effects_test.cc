// SPDX-License-Identifier: Apache-2.0
#include "synth/render/effects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/testing.h"
#include "core/base/thread_pool.h"
#include "synth/render/cpu_renderer.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/test_motion.h"

namespace calfvo {
namespace {

using portable::Random;
using synth::Develop;
using synth::DrawEffects;
using synth::Rgb8;
using synth::WindowEffects;

TEST(Effects, NothingLastsLongerThanTheFrame) {
  WindowEffects effects;
  effects.exposure_s = 0.02F;
  effects.readout_s = 0.005F;
  LimitToInterval(1.0F / 60.0F, effects);
  EXPECT_EQ(effects.exposure_s, 1.0F / 60.0F);
  EXPECT_EQ(effects.readout_s, 0.005F);
}

TEST(Effects, NoneChangesNothing) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const WindowEffects e = DrawEffects(EffectsOptions::None(), 8, Random(seed));
    EXPECT_EQ(e.readout_s, 0.0F);
    EXPECT_EQ(e.exposure_s, 0.0F);
    EXPECT_EQ(e.samples, 0);
    EXPECT_EQ(e.noise, 0.0F);
    EXPECT_EQ(e.jpeg_quality, 0);
    EXPECT_EQ(e.gamma, 1.0F);
    EXPECT_EQ(e.curve.At(0.3F), 0.3F);
    EXPECT_EQ(e.target, 0.0F);
    EXPECT_EQ(e.sharpness, 0.0F);
    EXPECT_EQ(synth::FrameGain(e, 7), 1.0F);
  }
}

TEST(Effects, TrainingDrawsEveryEffectAboutAsOftenAsItsProbability) {
  const EffectsOptions options = EffectsOptions::Training();
  options.Validate();
  int shutters = 0;
  int blurs = 0;
  int greys = 0;
  int jpegs = 0;
  int curves = 0;
  int meters = 0;
  int soft = 0;
  int sharp = 0;
  constexpr int kDraws = 2000;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    const WindowEffects e = DrawEffects(options, 8, Random(seed));
    shutters += e.readout_s > 0.0F ? 1 : 0;
    blurs += e.exposure_s > 0.0F ? 1 : 0;
    greys += e.grey;
    jpegs += e.jpeg_quality > 0 ? 1 : 0;
    curves += e.curve.steepness > 0.0F ? 1 : 0;
    meters += e.target > 0.0F ? 1 : 0;
    soft += e.sharpness < 0.0F ? 1 : 0;
    sharp += e.sharpness > 0.0F ? 1 : 0;
    EXPECT_LE(e.readout_s, options.max_readout_s);
    EXPECT_LE(e.noise, options.max_noise);
  }
  EXPECT_NEAR(shutters, kDraws * options.rolling_shutter_probability, 100);
  EXPECT_NEAR(blurs, kDraws * options.motion_blur_probability, 100);
  EXPECT_NEAR(greys, kDraws * options.grey_probability, 100);
  EXPECT_NEAR(jpegs, kDraws * options.jpeg_probability, 100);
  EXPECT_NEAR(curves, kDraws * options.contrast_probability, 100);
  EXPECT_NEAR(meters, kDraws * options.metering_probability, 100);
  EXPECT_NEAR(soft, 0.5F * kDraws * options.sharpness_probability, 100);
  EXPECT_NEAR(sharp, 0.5F * kDraws * options.sharpness_probability, 100);
}

TEST(Effects, ToneCurvesKeepBlackAndWhiteAndAreSteepInTheMiddle) {
  for (const float contrast : {0.1F, 0.75F, 2.5F, 5.0F}) {
    const synth::ToneCurve curve = synth::MakeToneCurve(contrast, 0.4F);
    EXPECT_NEAR(curve.At(0.0F), 0.0F, 1e-5F);
    EXPECT_NEAR(curve.At(1.0F), 1.0F, 1e-5F);
    for (int i = 0; i < 100; ++i) {
      const float x = 0.01F * static_cast<float>(i);
      EXPECT_LT(curve.At(x), curve.At(x + 0.01F));
    }
    const float slope = (curve.At(0.41F) - curve.At(0.39F)) / 0.02F;
    EXPECT_GT(slope, 0.99F * std::max(contrast, 1.0F));
    EXPECT_LT(slope, contrast + 1.0F);
  }
}

TEST(Effects, NoiseHasTheStatedSpread) {
  WindowEffects e;
  e.noise = 5.0F;
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kCount = 20000;
  const synth::Vec3 light{0.2F, 0.2F, 0.2F};
  const double clean = synth::Encode(0.2F, 1.0F, {});
  for (int i = 0; i < kCount; ++i) {
    const double difference = Develop(e, light, 1.0F, i % 200, i / 200, 200, 200, 9).g - clean;
    sum += difference;
    squares += difference * difference;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.2);
  EXPECT_NEAR(std::sqrt(squares / kCount), 5.0, 1.0);
}

TEST(Effects, GreyVignettingAndExposureActAsTheirNamesSay) {
  const synth::Vec3 light{0.5F, 0.2F, 0.1F};
  WindowEffects e;
  e.grey = 1;
  const Rgb8 grey = Develop(e, light, 1.0F, 5, 5, 100, 100, 1);
  EXPECT_EQ(grey.r, grey.g);
  EXPECT_EQ(grey.g, grey.b);
  e = {};
  e.vignetting = 0.5F;
  EXPECT_LT(Develop(e, light, 1.0F, 0, 0, 100, 100, 1).g, Develop(e, light, 1.0F, 50, 50, 100, 100, 1).g);
  e = {};
  e.step_frame = 3;
  e.step = 1.0F;
  EXPECT_EQ(synth::FrameGain(e, 2), 1.0F);
  EXPECT_NEAR(synth::FrameGain(e, 3), 2.0F, 1e-6F);
}

TEST(Effects, RowsAreReadOneAfterAnotherAroundTheMiddle) {
  WindowEffects e;
  e.readout_s = 0.02F;
  EXPECT_NEAR(synth::SampleTime(e, 49.5F, 100, 0.5F), 0.0F, 1e-7F);
  EXPECT_NEAR(synth::SampleTime(e, 99.5F, 100, 0.5F), 0.01F, 1e-7F);
  e.exposure_s = 0.01F;
  EXPECT_NEAR(synth::SampleTime(e, 49.5F, 100, 0.0F), -0.005F, 1e-7F);
}

double JpegError(int quality) {
  constexpr int kWidth = 43;  // not a multiple of 8
  constexpr int kHeight = 29;
  std::vector<uint8_t> rgb(3 * kWidth * kHeight);
  Random random(3);
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const auto base = static_cast<uint8_t>(60 + 3 * (i % kWidth) + random.Index(30));
    rgb[3 * i] = base;
    rgb[3 * i + 1] = static_cast<uint8_t>(base / 2 + 40);
    rgb[3 * i + 2] = static_cast<uint8_t>(255 - base);
  }
  std::vector<uint8_t> before = rgb;
  ThreadPool threads(2);
  ApplyJpeg(rgb.data(), kWidth, kHeight, quality, threads);
  double sum = 0.0;
  for (size_t i = 0; i < rgb.size(); ++i) sum += std::abs(rgb[i] - before[i]);
  return sum / static_cast<double>(rgb.size());
}

TEST(Effects, JpegLosesMoreAtLowerQuality) {
  const double best = JpegError(100);
  const double good = JpegError(90);
  const double poor = JpegError(30);
  EXPECT_LT(best, 1.5);
  EXPECT_LT(good, poor);
  EXPECT_GT(poor, 2.0);
  EXPECT_LT(poor, 25.0);
}

TEST(Effects, SharpnessMovesPixelsFromTheMeanAroundThem) {
  constexpr int kSide = 9;
  std::vector<uint8_t> image(3 * kSide * kSide, 100);
  const auto at = [&](int x, int y, float sharpness) {
    const Rgb8 color = synth::Sharpened(image.data(), x, y, kSide, kSide, sharpness);
    EXPECT_EQ(color.r, color.g);
    EXPECT_EQ(color.r, color.b);
    return static_cast<int>(color.r);
  };
  // Of one value it stays, at corners, too.
  for (const float sharpness : {-1.0F, 0.5F, 4.0F}) {
    EXPECT_EQ(at(4, 4, sharpness), 100);
    EXPECT_EQ(at(0, kSide - 1, sharpness), 100);
  }
  for (int c = 0; c < 3; ++c) image[static_cast<size_t>(3 * (4 * kSide + 4) + c)] = 164;
  // The blur weighs the point itself by 36 / 256, its neighbours by 24 and the corner by 1.
  EXPECT_EQ(at(4, 4, -1.0F), 109);
  EXPECT_EQ(at(5, 4, -1.0F), 106);
  EXPECT_EQ(at(2, 2, -0.5F), 100);
  EXPECT_EQ(at(4, 4, 1.0F), 219);
  EXPECT_EQ(at(4, 5, 1.0F), 94);
  EXPECT_EQ(at(4, 4, 4.0F), 255);
  EXPECT_EQ(at(1, 4, -1.0F), 100);  // too far to see it
}

// The image is rendered, then sharpened.
TEST(Effects, RenderedImagesAreSharpened) {
  const auto scene = MakeScene(SceneKind::kRoom, 3);
  const CameraModel camera = CameraFromSensor(Sensor{}, 40, 30);
  PosedFrame frame;
  synth::TestMotion(*scene, &frame, 1, 0.1F, Random(4));
  ThreadPool threads(2);
  const CpuRenderer renderer(threads);
  WindowEffects effects;
  const auto plain = renderer.Render(*scene, camera, &frame, 1, 0, effects, 5).rgb;
  effects.sharpness = 1.2F;
  const auto sharp = renderer.Render(*scene, camera, &frame, 1, 0, effects, 5).rgb;
  EXPECT_NE(plain, sharp);
  for (int i = 0; i < 40 * 30; ++i) {
    const Rgb8 expected = synth::Sharpened(plain.data(), i % 40, i / 40, 40, 30, 1.2F);
    ASSERT_EQ(sharp[static_cast<size_t>(3 * i)], expected.r) << i;
    ASSERT_EQ(sharp[static_cast<size_t>(3 * i + 2)], expected.b) << i;
  }
}

TEST(Effects, ValidateNamesTheFieldAndValue) {
  EffectsOptions options;
  options.grey_probability = 1.5F;
  const std::string message = ErrorFrom([&] { options.Validate(); });
  EXPECT_NE(message.find("grey_probability"), std::string::npos);
  EXPECT_NE(message.find("1.5"), std::string::npos);
}

}  // namespace
}  // namespace calfvo
