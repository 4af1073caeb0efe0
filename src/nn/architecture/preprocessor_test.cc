// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/preprocessor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calfvo/error.h"
#include "core/image/resize_golden.h"

namespace calfvo {
namespace {

std::vector<float> Preprocessed(const InputConfig& config, const Frame& image) {
  std::vector<float> out(3 * static_cast<size_t>(config.size) * static_cast<size_t>(config.size));
  Preprocessor(config).Run(image.view(), out);
  return out;
}

void ExpectGoldens(const std::string& rule) {
  const auto goldens = ReadResizeGoldens(rule);
  ASSERT_GE(goldens.size(), 20U);
  for (const ResizeGolden& golden : goldens) {
    InputConfig config;
    config.size = golden.out_width;
    config.resize = rule == "crop" ? ResizeRule::kCrop : ResizeRule::kSquash;
    config.filter = golden.filter == "bilinear" ? ResizeFilter::kBilinear : ResizeFilter::kLanczosOrBicubic;
    config.mean = {0.0, 0.0, 0.0};
    config.std = {1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0};
    const auto planes = Preprocessed(config, GoldenImage(golden.in_width, golden.in_height));
    const size_t plane = planes.size() / 3;
    std::vector<uint8_t> rgb(planes.size());
    for (size_t i = 0; i < rgb.size(); ++i) {
      rgb[i] = static_cast<uint8_t>(std::lround(planes[i % 3 * plane + i / 3]));
    }
    EXPECT_EQ(Crc(rgb), golden.result)
        << rule << " " << golden.filter << " " << golden.in_width << "x" << golden.in_height;
  }
}

TEST(Preprocessor, CropsAsDust3rDoes) {
  ExpectGoldens("crop");
}

TEST(Preprocessor, SquashesAsPillowDoes) {
  ExpectGoldens("squash");
}

// One colour stays that colour in every rule, filter and size, so that the normalisation stands alone.
TEST(Preprocessor, NormalisesEachChannel) {
  InputConfig config;
  config.size = 14;
  config.mean = {0.485, 0.456, 0.406};
  config.std = {0.229, 0.224, 0.225};
  const uint8_t color[] = {0, 77, 255};
  for (const auto& [width, height] : {std::pair(1, 1), {3, 200}, {14, 14}, {61, 40}}) {
    Frame image{.width = width, .height = height};
    for (int i = 0; i < width * height; ++i) image.rgb.insert(image.rgb.end(), color, color + 3);
    for (const auto rule : {ResizeRule::kCrop, ResizeRule::kSquash}) {
      for (const auto filter : {ResizeFilter::kBilinear, ResizeFilter::kBicubic, ResizeFilter::kLanczos}) {
        config.resize = rule;
        config.filter = filter;
        const std::vector<float> out = Preprocessed(config, image);
        for (size_t i = 0; i < out.size(); ++i) {
          const size_t c = i / (14 * 14);
          EXPECT_FLOAT_EQ(out[i], static_cast<float>((color[c] / 255.0 - config.mean[c]) / config.std[c]));
        }
      }
    }
  }
}

TEST(Preprocessor, GivesTheBytesBehindItsValues) {
  InputConfig config;
  config.size = 32;
  Frame image{.width = 61, .height = 40};
  for (int i = 0; i < 61 * 40 * 3; ++i) image.rgb.push_back(static_cast<uint8_t>(i * 37 % 251));
  const std::vector<float> values = Preprocessed(config, image);
  std::vector<uint8_t> bytes(values.size());
  Preprocessor(config).Resize(image.view(), bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FLOAT_EQ(values[i % 3 * 32 * 32 + i / 3], static_cast<float>((bytes[i] / 255.0 - 0.5) / 0.5));
  }
}

TEST(Preprocessor, FollowsChangingSizes) {
  InputConfig config;
  config.size = 32;
  Preprocessor preprocessor(config);
  std::vector<float> out(3 * 32 * 32);
  for (const auto& [width, height] : {std::pair(64, 48), {48, 64}, {64, 48}, {20, 20}}) {
    const Frame image = GoldenImage(width, height);
    preprocessor.Run(image.view(), out);
    EXPECT_EQ(out, Preprocessed(config, image)) << width << "x" << height;
  }
}

TEST(Preprocessor, OddSizesAreCroppedToo) {
  InputConfig config;
  config.size = 7;
  config.filter = ResizeFilter::kBilinear;
  config.mean = {0.0, 0.0, 0.0};
  config.std = {1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0};
  // Columns 0 … 11 hold their number; nothing is resized; columns 3 … 9 are left.
  Frame image{.width = 12, .height = 7};
  for (int i = 0; i < 12 * 7 * 3; ++i) image.rgb.push_back(static_cast<uint8_t>(i / 3 % 12));
  const std::vector<float> out = Preprocessed(config, image);
  for (size_t i = 0; i < out.size(); ++i) EXPECT_FLOAT_EQ(out[i], static_cast<float>(3 + i % 7));
}

TEST(Preprocessor, RefusesViewsThatAreNotImages) {
  const std::vector<uint8_t> pixels(64);
  InputConfig config;
  config.size = 16;
  Preprocessor preprocessor(config);
  std::vector<float> out(3 * 16 * 16);
  EXPECT_THROW(preprocessor.Run({0, 4, PixelFormat::kRgb8, pixels.data(), 12}, out), Error);
  EXPECT_THROW(preprocessor.Run({4, -1, PixelFormat::kRgb8, pixels.data(), 12}, out), Error);
  EXPECT_THROW(preprocessor.Run({65536, 1, PixelFormat::kRgb8, pixels.data(), 196608}, out), Error);
  EXPECT_THROW(preprocessor.Run({4, 4, PixelFormat::kRgb8, pixels.data(), 12}, std::span(out).first(5)),
               Error);
}

}  // namespace
}  // namespace calfvo
