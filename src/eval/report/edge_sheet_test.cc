// SPDX-License-Identifier: Apache-2.0
#include "eval/report/edge_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "eval/report/test_pair.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The estimate jumps by 3 m at frame 20 and turns by 90° at frame 40; both stay.
TestPair WithTwoFaults() {
  TestPair pair(60);
  for (size_t i = 0; i < 60; ++i) {
    Rigid3& pose = pair.estimate.world_from_camera[i];
    pose = pair.reference.world_from_camera[i];
    if (i >= 20) pose.translation.y() += 3.0;
    if (i >= 40) pose.rotation = Quaternion(std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0);
  }
  pair.evaluation = Evaluate(pair.reference, pair.estimate);
  return pair;
}

TEST(FindWorstEdges, ReportsPlaceAndUncertainty) {
  const TestPair pair = WithTwoFaults();
  const std::vector<EdgeSigma> sigmas(60, {.translation_m = 0.25, .rotation_deg = 1.5});
  EvaluatedPair view = pair.View();
  EXPECT_EQ(FindWorstEdges(view).rotation.at(0).caption, "poses 39, 40: off by 90° of 0°");
  view.sigmas = sigmas;
  const WorstEdges worst = FindWorstEdges(view);
  ASSERT_EQ(worst.rotation.size(), 4U);
  EXPECT_EQ(worst.rotation[0].first, 39U);
  EXPECT_EQ(worst.rotation[0].second, 40U);
  EXPECT_EQ(worst.rotation[0].caption, "poses 39, 40: off by 90° of 0°, σ 1.5°");
  EXPECT_EQ(worst.translation[0].first, 19U);
  EXPECT_THAT(worst.translation[0].caption, StartsWith("poses 19, 20: off by 3 m of 0.2"));
  EXPECT_THAT(worst.translation[0].caption, HasSubstr(" m, σ 0.25 m"));
}

// With --start and --stride they are not the numbers of the poses.
TEST(FindWorstEdges, NamesTheFramesOfTheInput) {
  const TestPair pair = WithTwoFaults();
  std::vector<int64_t> frames;
  for (int64_t i = 0; i < 60; ++i) frames.push_back(100 + 2 * i);
  EvaluatedPair view = pair.View();
  view.frames = frames;
  EXPECT_EQ(FindWorstEdges(view).rotation.at(0).caption, "frames 178, 180: off by 90° of 0°");
}

Thumbnail Grey(int width, uint8_t value) {
  return {width, 30, std::vector<uint8_t>(static_cast<size_t>(width) * 90, value)};
}

TEST(EdgeSheetPng, ShowsTheImagesOfItsEdges) {
  const WorstEdges worst = FindWorstEdges(WithTwoFaults().View());
  std::vector<size_t> asked;
  Thumbnail thumbnail = Grey(40, 100);
  const std::string png = EdgeSheetPng(worst, [&](size_t pose) -> const Thumbnail& {
    asked.push_back(pose);
    return thumbnail;
  });
  EXPECT_THAT(png, StartsWith("\x89PNG"));
  EXPECT_THAT(asked, testing::IsSupersetOf({19, 20, 39, 40}));
  const Thumbnail dark = Grey(40, 0);
  EXPECT_NE(
      EdgeSheetPng(worst, [&](size_t pose) -> const Thumbnail& { return pose == 20 ? dark : thumbnail; }),
      png);
  const Thumbnail wide = Grey(41, 100);
  EXPECT_THAT(ErrorFrom([&] {
                EdgeSheetPng(worst,
                             [&](size_t pose) -> const Thumbnail& { return pose == 20 ? wide : thumbnail; });
              }),
              HasSubstr("the image of pose 20 is 41x30; expected 40x30"));
}

TEST(EdgeSheetPng, OnePoseHasNothingToShow) {
  const TestPair pair(1);
  const WorstEdges worst = FindWorstEdges(pair.View());
  EXPECT_TRUE(worst.rotation.empty());
  EXPECT_THAT(ErrorFrom([&] { EdgeSheetPng(worst, {}); }), HasSubstr("no edges to show"));
}

}  // namespace
}  // namespace calfvo
