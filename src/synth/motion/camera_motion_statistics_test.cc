// SPDX-License-Identifier: Apache-2.0
// Compares the statistics of generated motion with those of real recordings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "synth/motion/camera_motion.h"
#include "synth/motion/motion_statistics.h"
#include "synth/motion/real_paths.h"

namespace calfvo::motion {
namespace {

// Statistics of the ground truth of public datasets, at their frame rates.
struct RealMotion {
  MotionKind kind;
  const char* set;  // and the folder of its recordings
  float frame_rate_hz;
  MotionStatistics statistics;
};

const RealMotion kRealMotions[] = {
    {MotionKind::kHandheld,
     "7scenes",
     30.0F,
     {{0.0015, 0.0056, 0.0085, 0.0120, 0.0199, 0.0297},
      {0.083, 0.316, 0.513, 0.768, 1.325, 1.795},
      0.68,
      0.69,
      {}}},
    {MotionKind::kHeadMounted,
     "tumvi",
     20.0F,
     {{0.004, 0.027, 0.044, 0.058, 0.076, 0.103},
      {0.451, 1.652, 2.717, 4.394, 7.927, 9.798},
      0.59,
      0.78,
      {}}},
    {MotionKind::kVehicle,
     "kitti",
     10.0F,
     {{0.32, 0.70, 0.94, 1.16, 1.50, 2.66},
      {0.061, 0.152, 0.289, 0.658, 2.642, 3.565},
      0.99,
      0.94,
      {0.015, 0.019, 0.955}}},
    {MotionKind::kDrone,
     "euroc",
     20.0F,
     {{0.0001, 0.016, 0.028, 0.047, 0.083, 0.122},
      {0.022, 0.282, 0.638, 1.371, 2.965, 4.335},
      0.99,
      0.94,
      {}}},
    {MotionKind::kFastDrone,
     "uzhfpv",
     30.0F,
     {{0.029, 0.116, 0.166, 0.228, 0.341, 0.384},
      {0.175, 0.840, 1.553, 2.412, 4.141, 6.436},
      1.00,
      0.99,
      {}}},
    {MotionKind::kFreeFlying,
     "tartanair",
     10.0F,
     {{0.017, 0.100, 0.213, 0.349, 0.473, 0.494},
      {0.194, 0.602, 1.123, 1.826, 2.874, 3.430},
      0.99,
      0.99,
      {}}},
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

// Compares quantiles by factor: the median within `median_factor`, 25, 75 and 95 % within 1.35, 5 and 99 %
// within
// 2. Values below `floor` count as standing still. Returns what differs, one line each.
std::string QuantileDifferences(const char* name, const std::array<double, 6>& generated,
                                const std::array<double, 6>& real, double median_factor, double floor) {
  const std::array<double, 6> factors = {2.0, 1.35, median_factor, 1.35, 1.35, 2.0};
  std::string differences;
  for (size_t i = 0; i < real.size(); ++i) {
    const double ratio = std::max(generated[i], floor) / std::max(real[i], floor);
    if (ratio < factors[i] && ratio > 1.0 / factors[i]) continue;
    differences += fmt::format("{} at {} %: generated {}, real {}\n", name, 100 * kQuantileLevels[i],
                               generated[i], real[i]);
  }
  return differences;
}

std::string Differences(const MotionStatistics& generated, const MotionStatistics& real,
                        double median_factor) {
  std::string differences =
      QuantileDifferences("translation", generated.translation_m, real.translation_m, median_factor, 0.001) +
      QuantileDifferences("rotation", generated.rotation_deg, real.rotation_deg, median_factor, 0.01);
  const auto compare = [&](const char* name, double a, double b) {
    if (!(std::abs(a - b) < 0.08)) {
      differences += fmt::format("autocorrelation of {}: generated {}, real {}\n", name, a, b);
    }
  };
  compare("translation", generated.translation_autocorrelation, real.translation_autocorrelation);
  compare("rotation", generated.rotation_autocorrelation, real.rotation_autocorrelation);
  return differences;
}

class CameraMotionStatisticsTest : public testing::TestWithParam<RealMotion> {};

TEST_P(CameraMotionStatisticsTest, GeneratedMotionMatchesThePublishedSet) {
  const RealMotion& real = GetParam();
  const MotionStatistics generated = Generated(real.kind, real.frame_rate_hz, 1000, 400);
  EXPECT_EQ(Differences(generated, real.statistics, 1.15), "") << FormatStatistics(generated);
}

// The comparison above detects the wrong kind of motion.
TEST_P(CameraMotionStatisticsTest, OtherKindsOfMotionDiffer) {
  const RealMotion& real = GetParam();
  for (int kind = 0; kind < kMotionKindCount; ++kind) {
    const auto other = static_cast<MotionKind>(kind);
    if (other == real.kind) continue;
    EXPECT_NE(Differences(Generated(other, real.frame_rate_hz, 100, 200), real.statistics, 1.15), "")
        << MotionKindName(other);
  }
}

// The recordings are part of the sets, so that medians may differ more.
TEST_P(CameraMotionStatisticsTest, GeneratedMotionMatchesRecordings) {
  const RealMotion& real = GetParam();
  const std::filesystem::path folder = std::filesystem::path(CALFVO_TRAJECTORIES) / real.set;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings in " << folder;
  const MotionStatistics recorded = MeasureMotion(RecordedClips(RealPaths::Load(folder).View()));
  const MotionStatistics generated = Generated(real.kind, real.frame_rate_hz, 1000, 400);
  EXPECT_EQ(Differences(generated, recorded, 1.25), "") << FormatStatistics(recorded);
}

INSTANTIATE_TEST_SUITE_P(Sets, CameraMotionStatisticsTest, testing::ValuesIn(kRealMotions),
                         [](const auto& parameter) { return std::string(parameter.param.set); });

TEST(CameraMotionStatisticsTest, VehicleMovesAlongItsWheels) {
  const RealMotion& kitti = kRealMotions[2];
  const auto mean = Generated(kitti.kind, kitti.frame_rate_hz, 1000, 400).mean_abs_translation_m;
  EXPECT_NEAR(mean[0], kitti.statistics.mean_abs_translation_m[0], 0.006);
  EXPECT_NEAR(mean[1], kitti.statistics.mean_abs_translation_m[1], 0.006);
  EXPECT_NEAR(mean[2], kitti.statistics.mean_abs_translation_m[2], 0.1);
}

TEST(CameraMotionStatisticsTest, SpeedsDoNotDependOnTheFrameRate) {
  for (const RealMotion& real : kRealMotions) {
    for (const float rate_hz : {10.0F, 60.0F}) {
      const MotionStatistics generated = Generated(real.kind, rate_hz, 400, 200);
      const double scale = rate_hz / real.frame_rate_hz;
      EXPECT_NEAR(generated.translation_m[2] * scale / real.statistics.translation_m[2], 1.0, 0.25)
          << real.set;
      EXPECT_NEAR(generated.rotation_deg[2] * scale / real.statistics.rotation_deg[2], 1.0, 0.25) << real.set;
    }
  }
}

}  // namespace
}  // namespace calfvo::motion
