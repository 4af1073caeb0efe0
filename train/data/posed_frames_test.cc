// SPDX-License-Identifier: Apache-2.0
#include "data/posed_frames.h"

#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "data/test_sequence.h"

namespace calfvo::train {
namespace {

std::unique_ptr<TestSequence> WithoutPoses(const std::vector<size_t>& missing) {
  auto sequence = std::make_unique<TestSequence>("s", 10);
  for (const size_t i : missing) sequence->frames()[i].world_from_camera.reset();
  return sequence;
}

TEST(PosedFrames, BeginAtTheFirstPoseAndEndBeforeTheFirstGap) {
  const auto trimmed = FromFirstPose(WithoutPoses({0, 1, 7}));
  ASSERT_EQ(trimmed->frames().size(), 8U);
  EXPECT_EQ(trimmed->frames()[0].timestamp_ns, 200'000'000);
  EXPECT_EQ(PosesUntilInvalid(*trimmed).size(), 5U);
  Frame image;
  trimmed->Read(3, image);
  EXPECT_EQ(image.rgb[0], 5);
  EXPECT_EQ(FromFirstPose(WithoutPoses({}))->frames().size(), 10U);
}

TEST(PosedFrames, ThereMustBeOne) {
  const std::string message = ErrorFrom([] { FromFirstPose(WithoutPoses({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})); });
  EXPECT_EQ(message, "s: none of its 10 frames has a pose");
}

}  // namespace
}  // namespace calfvo::train
