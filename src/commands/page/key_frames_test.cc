// SPDX-License-Identifier: Apache-2.0
#include "commands/page/key_frames.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/image/image_decoder.h"
#include "core/image/jpeg.h"

namespace calfvo {
namespace {

Frame NoiseFrame(int index, int width, int height) {
  Frame frame{.index = index, .width = width, .height = height};
  uint32_t state = static_cast<uint32_t>(index) + 1;
  frame.rgb.resize(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  for (uint8_t& value : frame.rgb) value = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return frame;
}

TEST(KeyFrames, ThumbnailsHaveSquarePixelsAndALongSide) {
  if (!CanEncodeJpeg()) GTEST_SKIP() << "no libjpeg";
  ThumbnailEncoder encoder;
  const auto size = [&](Frame frame) {
    Frame decoded;
    DecodeImage(encoder.Encode(frame), decoded);
    return std::pair(decoded.width, decoded.height);
  };
  EXPECT_EQ(size(NoiseFrame(0, 1280, 720)), std::pair(384, 216));
  EXPECT_EQ(size(NoiseFrame(0, 720, 1280)), std::pair(216, 384));
  EXPECT_EQ(size(NoiseFrame(0, 64, 48)), std::pair(64, 48));
  Frame wide = NoiseFrame(0, 720, 576);
  wide.pixel_aspect = 64.0 / 45.0;
  EXPECT_EQ(size(wide), std::pair(384, 216));
}

TEST(KeyFrames, StayWithinTheBudgetAndSpreadEvenly) {
  if (!CanEncodeJpeg()) GTEST_SKIP() << "no libjpeg";
  constexpr size_t kBudget = 200'000;
  KeyFrames frames(kBudget);
  KeyFrames again(kBudget);
  for (int i = 0; i < 300; ++i) {
    frames.Add(NoiseFrame(i, 64, 48));
    again.Add(NoiseFrame(i, 64, 48));
  }
  EXPECT_EQ(frames.Json(), again.Json());
  EXPECT_LT(frames.Json().size(), kBudget + 1000);
  const auto json = nlohmann::json::parse(frames.Json());
  EXPECT_EQ(json["jpeg"].size(), frames.size());
  EXPECT_GT(frames.size(), 20U);
  EXPECT_EQ(json["width"], 64);
}

TEST(KeyFrames, NoFramesAreValidJson) {
  EXPECT_TRUE(nlohmann::json::parse(KeyFrames().Json())["jpeg"].empty());
}

}  // namespace
}  // namespace calfvo
