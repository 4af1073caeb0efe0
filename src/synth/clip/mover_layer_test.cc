// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/mover_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace calfvo {
namespace {

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr double kDuration = 4.0;

struct Painted {
  std::vector<uint8_t> rgb = std::vector<uint8_t>(size_t{3} * kWidth * kHeight, 7);
  std::vector<uint8_t> mask;
};

Painted PaintedAt(const MoverLayer& layer, double time_s) {
  Painted painted;
  painted.mask = layer.Paint(time_s, painted.rgb);
  return painted;
}

double ShareOf(const std::vector<uint8_t>& mask) {
  return static_cast<double>(std::count(mask.begin(), mask.end(), 0)) / static_cast<double>(mask.size());
}

TEST(MoverLayer, CoversItsShareOnAverage) {
  for (const double share : {0.1, 0.25, 0.5, 0.8}) {
    for (const uint64_t seed : {1U, 2U, 3U}) {
      const MoverLayer layer(share, kWidth, kHeight, kDuration, seed);
      double sum = 0.0;
      constexpr int kFrames = 60;
      for (int i = 0; i < kFrames; ++i) sum += ShareOf(PaintedAt(layer, kDuration * i / kFrames).mask);
      EXPECT_NEAR(sum / kFrames, share, 0.02) << seed;
    }
  }
}

TEST(MoverLayer, PaintsWhereTheMaskIsAndNothingElse) {
  const MoverLayer layer(0.4, kWidth, kHeight, kDuration, 5);
  const Painted painted = PaintedAt(layer, 1.0);
  size_t changed = 0;
  for (size_t i = 0; i < painted.mask.size(); ++i) {
    const bool differs =
        painted.rgb[3 * i] != 7 || painted.rgb[3 * i + 1] != 7 || painted.rgb[3 * i + 2] != 7;
    EXPECT_FALSE(differs && painted.mask[i] == 255);
    changed += differs ? 1 : 0;
  }
  EXPECT_GT(static_cast<double>(changed), 0.2 * static_cast<double>(painted.mask.size()));
}

TEST(MoverLayer, MovesAndRepeats) {
  const MoverLayer layer(0.3, kWidth, kHeight, kDuration, 9);
  EXPECT_EQ(PaintedAt(layer, 0.5).rgb, PaintedAt(MoverLayer(0.3, kWidth, kHeight, kDuration, 9), 0.5).rgb);
  EXPECT_NE(PaintedAt(layer, 0.5).rgb, PaintedAt(layer, 0.6).rgb);
  EXPECT_NE(PaintedAt(layer, 0.5).rgb, PaintedAt(MoverLayer(0.3, kWidth, kHeight, kDuration, 10), 0.5).rgb);
  EXPECT_EQ(ShareOf(PaintedAt(MoverLayer(0.0, kWidth, kHeight, kDuration, 9), 0.5).mask), 0.0);
}

}  // namespace
}  // namespace calfvo
