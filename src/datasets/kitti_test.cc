// SPDX-License-Identifier: Apache-2.0
#include "datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kFocal = 718.856;
constexpr double kP2Offset = 45.38225;  // of the real sequence 00: 6 cm

// Sequence `number` below dataset/, without the pictures in `missing`.
class KittiTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& number, const std::string& images, bool with_poses,
                              int missing = -1) {
    const auto sequence = root_.path() / "dataset" / "sequences" / number;
    std::string times;
    std::string poses;
    for (int i = 0; i < 5; ++i) {
      if (i != missing) WriteFile(sequence / images / fmt::format("{:06}.png", i), TruePng(i));
      times += fmt::format("{:e}\n", 0.1036 * i);
      // The file holds camera 0: world_from_cam0 = world_from_cam2 · cam2_from_cam0.
      Eigen::Matrix4d cam2_from_cam0 = Eigen::Matrix4d::Identity();
      if (images == "image_2") cam2_from_cam0(0, 3) = kP2Offset / kFocal;
      poses += Numbers17(Rows(Matrix4(truth_[static_cast<size_t>(i)]) * cam2_from_cam0, 3)) + "\n";
    }
    WriteFile(sequence / "times.txt", times);
    std::string calibration;
    for (const auto& [key, offset] :
         {std::pair("P0", 0.0), {"P1", -386.1448}, {"P2", kP2Offset}, {"P3", -337.2877}}) {
      calibration += fmt::format("{}: {} 0 607.1928 {} 0 {} 185.2157 -0.1130887 0 0 1 0.003779761\n", key,
                                 kFocal, offset, kFocal);
    }
    calibration += "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 0\n";
    WriteFile(sequence / "calib.txt", calibration);
    if (with_poses) WriteFile(root_.path() / "dataset" / "poses" / (number + ".txt"), poses);
    return sequence;
  }

  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(5);
};

TEST_F(KittiTest, ReadsTheLeftColourCamera) {
  const auto sequence = OpenSequence(Write("00", "image_2", true));
  EXPECT_EQ(sequence->name(), "00");
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 103600000, 207200000, 310800000, 414400000));
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{kFocal, kFocal, 607.1928, 185.2157}));
  for (int i = 0; i < 5; ++i) {
    ExpectPose(*sequence, static_cast<size_t>(i), truth_[static_cast<size_t>(i)]);
    ExpectPicture(*sequence, static_cast<size_t>(i), i);
  }
}

TEST_F(KittiTest, GreyPicturesAreOfCameraZero) {
  const auto sequence = OpenSequence(Write("00", "image_0", true));
  ExpectPose(*sequence, 3, truth_[3]);
}

TEST_F(KittiTest, AMissingPictureShiftsNothing) {
  const auto sequence = OpenSequence(Write("00", "image_2", true, 2));
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 103600000, 310800000, 414400000));
  ExpectPose(*sequence, 2, truth_[3]);
  ExpectPicture(*sequence, 2, 3);
}

TEST_F(KittiTest, SequencesOfTheHiddenTestHaveNoPoses) {
  const auto sequence = OpenSequence(Write("11", "image_2", false));
  ASSERT_EQ(sequence->frames().size(), 5U);
  for (size_t i = 0; i < 5; ++i) ExpectNoPose(*sequence, i);
}

TEST_F(KittiTest, SaysWhatIsWrong) {
  const auto path = Write("00", "image_2", true);
  WriteFile(path / "times.txt", "0\n0.1\n");
  EXPECT_THAT(OpenError(path), AllOf(HasSubstr("poses/00.txt: has 5 poses, but"), HasSubstr("has 2 times")));
  std::filesystem::remove(root_.path() / "dataset" / "poses" / "00.txt");
  EXPECT_THAT(OpenError(path), HasSubstr("times.txt: has 2 times, but there is a picture"));
  WriteFile(path / "calib.txt", "P0: 1 2 3\n");
  EXPECT_THAT(OpenError(path), HasSubstr("calib.txt: has no line that begins with P2:"));
  WriteFile(path / "calib.txt", "P2: 0 0 0 0 0 0 0 0 0 0 0 0\n");
  EXPECT_THAT(OpenError(path), HasSubstr("calib.txt:1: the focal lengths are not positive"));
}

}  // namespace
}  // namespace calfvo
