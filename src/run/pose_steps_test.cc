// SPDX-License-Identifier: Apache-2.0
#include "run/pose_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

std::vector<PoseStep> ReadSteps(const TempFolder& folder, const std::string& text) {
  std::ofstream(folder.path() / "poses.csv") << text;
  return ReadPoseSteps(folder.path() / "poses.csv");
}

constexpr const char* kStepsHeader =
    "timestamp_ns,tx,frame,estimates,sigma_translation_m,sigma_rotation_rad,flags\n";

TEST(PoseSteps, FindsColumnsByName) {
  const TempFolder folder;
  const auto steps =
      ReadSteps(folder, std::string(kStepsHeader) + "1,9,0,0,0,0,\n2,9,17,3,0.25,1e-3,damaged\n");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].frame, 17);
  EXPECT_EQ(steps[1].estimates, 3.0);
  EXPECT_EQ(steps[1].sigma_translation_m, 0.25);
  EXPECT_EQ(steps[1].sigma_rotation_rad, 1e-3);
}

TEST(PoseSteps, WithoutConfidenceTheFieldsAreEmpty) {
  const TempFolder folder;
  const auto steps = ReadSteps(folder, std::string(kStepsHeader) + "1,9,0,2,,,\n");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].estimates, 2.0);
  EXPECT_TRUE(std::isnan(steps[0].sigma_rotation_rad));
}

TEST(PoseSteps, SaysWhatIsWrong) {
  const TempFolder folder;
  const auto message = [&](const std::string& text) { return ErrorFrom([&] { ReadSteps(folder, text); }); };
  EXPECT_THAT(message(""), HasSubstr("no column 'estimates'"));
  EXPECT_THAT(message("timestamp_ns,estimates\n"), HasSubstr("no column 'sigma_translation_m'"));
  EXPECT_THAT(message(std::string(kStepsHeader) + "1,2\n"),
              HasSubstr("poses.csv:2: has 2 fields; the header has 7"));
  EXPECT_THAT(message(std::string(kStepsHeader) + "1,9,0,x,0,0,\n"), HasSubstr("'x' is no number"));
  EXPECT_THAT(ErrorFrom([&] { ReadPoseSteps(folder.path() / "none.csv"); }), HasSubstr("none.csv"));
}

}  // namespace
}  // namespace calfvo
