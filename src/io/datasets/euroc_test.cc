// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_layouts.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kStart = 1403715886'584058112;

class EurocTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::vector<int64_t>& image_times,
                              const std::vector<int64_t>& pose_times) const {
    WriteEuroc(root_.path() / "V2_03_difficult", image_times, pose_times, truth_);
    return root_.path() / "V2_03_difficult";
  }

  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(4);
};

TEST_F(EurocTest, ReadsTheLeftCameraThoughTimesDifferALittle) {
  const auto folder =
      Write({kStart, kStart + 50'000'000, kStart + 150'000'000},
            {kStart + 256, kStart + 50'000'000 - 200, kStart + 100'000'000, kStart + 150'000'000});
  const auto sequence = OpenSequence(folder);
  EXPECT_EQ(sequence->name(), "V2_03_difficult");
  EXPECT_THAT(Times(*sequence), ElementsAre(kStart, kStart + 50'000'000, kStart + 150'000'000));
  EXPECT_EQ(
      sequence->intrinsics(),
      (CameraIntrinsics{
          458.654, 457.296, 367.215, 248.375, {-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05, 0.0}}));
  ExpectPose(*sequence, 0, truth_[0]);
  ExpectPose(*sequence, 1, truth_[1]);
  ExpectPose(*sequence, 2, truth_[3]);
  for (int i = 0; i < 3; ++i) ExpectImage(*sequence, static_cast<size_t>(i), i);
}

TEST_F(EurocTest, ImagesOutsideTheGroundTruthAreLeftOut) {
  const auto folder = Write({kStart - 1'000'000'000, kStart - 50'000'000, kStart, kStart + 50'000'000,
                             kStart + 100'000'000, kStart + 150'000'000},
                            {kStart, kStart + 51'000'001, kStart + 100'000'000 - 1'000'000});
  const auto sequence = OpenSequence(folder);
  EXPECT_THAT(Times(*sequence), ElementsAre(kStart, kStart + 50'000'000, kStart + 100'000'000));
  ExpectPose(*sequence, 0, truth_[0]);
  ExpectImage(*sequence, 0, 2);
  ExpectNoPose(*sequence, 1);  // 1 ms and 1 ns away
  ExpectPose(*sequence, 2, truth_[2]);
}

TEST_F(EurocTest, WithoutGroundTruthAllImagesStay) {
  const auto folder = Write({kStart, kStart + 50'000'000}, {kStart});
  std::filesystem::remove_all(folder / "mav0" / "state_groundtruth_estimate0");
  const auto sequence = OpenSequence(folder);
  ASSERT_EQ(sequence->frames().size(), 2U);
  ExpectNoPose(*sequence, 0);
}

TEST_F(EurocTest, RefusesTimesTooFarApart) {
  const auto folder = Write({-9'200'000'000'000'000'000, 0, 9'200'000'000'000'000'000}, {0});
  std::filesystem::remove_all(folder / "mav0" / "state_groundtruth_estimate0");
  EXPECT_THAT(OpenError(folder), HasSubstr("9200000000000000000.png: its time 9200000000000000000 ns is more "
                                           "than 292 years after the first image's -9200000000000000000 ns"));
}

TEST_F(EurocTest, NamesWhatIsWrongWithTheSensor) {
  const auto folder = Write({kStart}, {kStart});
  const auto sensor = folder / "mav0/cam0/sensor.yaml";
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text(kEurocSensor);
    WriteFile(sensor, text.replace(text.find(from), from.size(), to));
    return OpenError(folder);
  };
  EXPECT_THAT(error_with("T_BS:", "T_SB:"), HasSubstr("sensor.yaml: has no T_BS"));
  EXPECT_THAT(error_with("0.0148655429818", "1e3"), HasSubstr("sensor.yaml: T_BS is not a rigid motion"));
  EXPECT_THAT(error_with("0.0148655429818, ", ""),
              HasSubstr("sensor.yaml: 'data' has 15 numbers; expected 16"));
  EXPECT_THAT(error_with("458.654", "wide"),
              HasSubstr("sensor.yaml: 'wide' in 'intrinsics' is not a number"));
  EXPECT_THAT(error_with("intrinsics:", "other:"), HasSubstr("sensor.yaml: has no list 'intrinsics: [...]'"));
}

}  // namespace
}  // namespace calfvo
