// SPDX-License-Identifier: Apache-2.0
#include "synth/render/texture_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace calfvo {
namespace {

using synth::SampleTexture;
using synth::Vec3;

// Left half red, right half blue.
std::vector<uint8_t> TwoHalves(int width, int height) {
  std::vector<uint8_t> rgb(static_cast<size_t>(3 * width * height), 0);
  for (int i = 0; i < width * height; ++i) rgb[3 * i + (i % width < width / 2 ? 0 : 2)] = 255;
  return rgb;
}

TEST(TexturePool, SamplesWhatWasAddedAtEveryLevel) {
  TexturePool pool;
  pool.Add(TwoHalves(100, 60).data(), 100, 60);
  ASSERT_EQ(pool.size(), 1);
  const Vec3 left = SampleTexture(pool.view(), 0, 0.25F, 0.5F, 0.001F);
  const Vec3 right = SampleTexture(pool.view(), 0, 0.75F, 0.5F, 0.001F);
  EXPECT_NEAR(left.x, 1.0F, 1e-3F);
  EXPECT_NEAR(left.z, 0.0F, 1e-3F);
  EXPECT_NEAR(right.z, 1.0F, 1e-3F);
  const Vec3 far = SampleTexture(pool.view(), 0, 0.25F, 0.5F, 10.0F);  // the level of one texel
  EXPECT_NEAR(far.x, far.z, 0.02F);
}

}  // namespace
}  // namespace calfvo
