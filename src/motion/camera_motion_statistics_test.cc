// SPDX-License-Identifier: Apache-2.0
// Compares generated motion with figures measured on the ground truth of real recordings.
#include <gtest/gtest.h>

#include <cstdio>

#include "motion/camera_motion.h"
#include "motion/motion_statistics.h"

namespace calfvo::motion {
namespace {

// Quantiles at 5, 25, 50, 75, 95 and 99 %: of translation in metres per frame, of rotation in degrees per
// frame.
struct Target {
  MotionKind kind;
  const char* set;
  float frame_rate_hz;
  std::array<double, 6> translation_m;
  std::array<double, 6> rotation_deg;
  double translation_autocorrelation;
  double rotation_autocorrelation;
};

const Target kTargets[] = {
    {MotionKind::kHandheld,
     "7-Scenes",
     30.0F,
     {0.0015, 0.0056, 0.0085, 0.0120, 0.0199, 0.0297},
     {0.083, 0.316, 0.513, 0.768, 1.325, 1.795},
     0.68,
     0.69},
    {MotionKind::kHeadMounted,
     "TUM-VI",
     20.0F,
     {0.004, 0.027, 0.044, 0.058, 0.076, 0.103},
     {0.451, 1.652, 2.717, 4.394, 7.927, 9.798},
     0.59,
     0.78},
    {MotionKind::kVehicle,
     "KITTI",
     10.0F,
     {0.32, 0.70, 0.94, 1.16, 1.50, 2.66},
     {0.061, 0.152, 0.289, 0.658, 2.642, 3.565},
     0.99,
     0.94},
    {MotionKind::kDrone,
     "EuRoC",
     20.0F,
     {0.0001, 0.016, 0.028, 0.047, 0.083, 0.122},
     {0.022, 0.282, 0.638, 1.371, 2.965, 4.335},
     0.99,
     0.94},
    {MotionKind::kFastDrone,
     "UZH-FPV",
     30.0F,
     {0.029, 0.116, 0.166, 0.228, 0.341, 0.384},
     {0.175, 0.840, 1.553, 2.412, 4.141, 6.436},
     1.00,
     0.99},
    {MotionKind::kFreeFlying,
     "TartanAir",
     10.0F,
     {0.017, 0.100, 0.213, 0.349, 0.473, 0.494},
     {0.194, 0.602, 1.123, 1.826, 2.874, 3.430},
     0.99,
     0.99},
};

MotionStatistics Generated(MotionKind kind, float frame_rate_hz, int clip_count, int frames) {
  std::vector<MotionClip> clips;
  for (int i = 0; i < clip_count; ++i) {
    MotionStart start;
    start.kind = kind;
    start.frame_rate_hz = frame_rate_hz;
    CameraMotion camera(start, portable::Random(4000 + static_cast<uint64_t>(i)));
    MotionClip& clip = clips.emplace_back();
    for (int frame = 0; frame < frames; ++frame) clip.push_back(camera.Step(EverywhereFree{}));
  }
  return MeasureMotion(clips);
}

// Medians within 15 %, quantiles from 25 to 95 % within a factor 1.35, the extremes within a factor 2.
// `floor` is what counts as standing still: below it, a factor says nothing.
void ExpectQuantilesNear(const std::array<double, 6>& generated, const std::array<double, 6>& target,
                         double floor) {
  const std::array<double, 6> kFactors = {2.0, 1.35, 1.15, 1.35, 1.35, 2.0};
  for (size_t i = 0; i < target.size(); ++i) {
    EXPECT_LT(generated[i], std::max(target[i] * kFactors[i], floor))
        << "at " << 100 * kQuantileLevels[i] << " %";
    EXPECT_GT(std::max(generated[i], floor), target[i] / kFactors[i])
        << "at " << 100 * kQuantileLevels[i] << " %";
  }
}

class CameraMotionStatisticsTest : public testing::TestWithParam<Target> {};

TEST_P(CameraMotionStatisticsTest, AreThoseOfTheRealSet) {
  const Target& target = GetParam();
  const MotionStatistics generated = Generated(target.kind, target.frame_rate_hz, 1000, 400);
  const MotionStatistics real{target.translation_m,
                              target.rotation_deg,
                              target.translation_autocorrelation,
                              target.rotation_autocorrelation,
                              {}};
  std::printf("%-12s %s\n%-12s %s\n", target.set, FormatStatistics(real).c_str(),
              MotionKindName(target.kind).data(), FormatStatistics(generated).c_str());
  ExpectQuantilesNear(generated.translation_m, target.translation_m, 0.001);
  ExpectQuantilesNear(generated.rotation_deg, target.rotation_deg, 0.01);
  EXPECT_NEAR(generated.translation_autocorrelation, target.translation_autocorrelation, 0.08);
  EXPECT_NEAR(generated.rotation_autocorrelation, target.rotation_autocorrelation, 0.08);
}

INSTANTIATE_TEST_SUITE_P(Sets, CameraMotionStatisticsTest, testing::ValuesIn(kTargets),
                         [](const auto& parameter) { return "Set" + std::to_string(parameter.index); });

TEST(CameraMotionStatisticsTest, VehicleMovesAlongItsWheelsAsKittiDoes) {
  const auto mean = Generated(MotionKind::kVehicle, 10.0F, 1000, 400).mean_abs_translation_m;
  std::printf("mean |t| by axis: %.3f %.3f %.3f, KITTI 0.015 0.019 0.955\n", mean[0], mean[1], mean[2]);
  EXPECT_NEAR(mean[0], 0.015, 0.006);
  EXPECT_NEAR(mean[1], 0.019, 0.006);
  EXPECT_NEAR(mean[2], 0.955, 0.1);
}

// Speeds are physical: the same path filmed at another frame rate.
TEST(CameraMotionStatisticsTest, SpeedsDoNotDependOnTheFrameRate) {
  for (const Target& target : kTargets) {
    for (const float rate_hz : {10.0F, 60.0F}) {
      const MotionStatistics generated = Generated(target.kind, rate_hz, 400, 200);
      const double scale = rate_hz / target.frame_rate_hz;
      EXPECT_NEAR(generated.translation_m[2] * scale / target.translation_m[2], 1.0, 0.25) << target.set;
      EXPECT_NEAR(generated.rotation_deg[2] * scale / target.rotation_deg[2], 1.0, 0.25) << target.set;
    }
  }
}

}  // namespace
}  // namespace calfvo::motion
