// SPDX-License-Identifier: Apache-2.0
#include "refine/feature_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace calfvo {
namespace {

constexpr int kBlocksWidth = 200;
constexpr int kBlocksHeight = 120;

// Random blocks, moved to the right by `shift` pixels.
GrayImage Blocks(int shift) {
  constexpr int kBlock = 6;
  std::mt19937 random(1);
  std::vector<uint8_t> values(100 * 100);
  for (uint8_t& value : values) value = static_cast<uint8_t>(random() % 256);
  GrayImage image{kBlocksWidth, kBlocksHeight, std::vector<uint8_t>(size_t{kBlocksWidth} * kBlocksHeight)};
  for (int y = 0; y < kBlocksHeight; ++y) {
    for (int x = 0; x < kBlocksWidth; ++x) {
      const int column = (x - shift + 120) / kBlock;
      image.pixels[static_cast<size_t>(y) * kBlocksWidth + static_cast<size_t>(x)] =
          values[static_cast<size_t>(y / kBlock) * 100 + static_cast<size_t>(column)];
    }
  }
  return image;
}

int CountRightOf(const std::vector<Observation>& observations, double x) {
  return static_cast<int>(std::count_if(observations.begin(), observations.end(),
                                        [&](const Observation& seen) { return seen.pixel.x() > x; }));
}

TEST(FeatureTracker, IgnoresWhatIsMasked) {
  GrayImage mask{kBlocksWidth, kBlocksHeight,
                 std::vector<uint8_t>(size_t{kBlocksWidth} * kBlocksHeight, 255)};
  constexpr int kBorder = 120;
  for (int y = 0; y < kBlocksHeight; ++y) {
    for (int x = kBorder; x < kBlocksWidth; ++x)
      mask.pixels[static_cast<size_t>(y) * kBlocksWidth + static_cast<size_t>(x)] = 0;
  }
  FeatureTracker plain;
  FeatureTracker masked;
  int followed_into_mask = 0;
  for (int i = 0; i < 8; ++i) {
    const GrayImage image = Blocks(3 * i);
    const auto all = plain.Track(image, Quaternion::Identity(), 200.0);
    const auto some = masked.Track(image, Quaternion::Identity(), 200.0, &mask);
    EXPECT_GT(CountRightOf(all, kBorder + 1), 20) << i;
    EXPECT_EQ(CountRightOf(some, kBorder + 1), 0) << i;
    EXPECT_GT(some.size(), 20U) << i;
    for (const Observation& seen : all) {
      // Corners that started left of the border and have moved beyond it: these a mask must end, too.
      followed_into_mask += seen.pixel.x() > kBorder + 1 && seen.pixel.x() - 3 * i < kBorder - 1;
    }
  }
  EXPECT_GT(followed_into_mask, 0);
}

}  // namespace
}  // namespace calfvo
