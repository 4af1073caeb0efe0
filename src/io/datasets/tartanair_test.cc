// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_layouts.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TartanAirTest : public testing::Test {
 protected:
  void Write(const std::filesystem::path& folder, const std::string& camera, int missing = -1) const {
    WriteTartanAir(folder, camera, truth_, missing);
  }

  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(5);
};

TEST_F(TartanAirTest, ReadsVersion1WithTheDoubledFolder) {
  Write(root_.path() / "ocean" / "ocean" / "Hard" / "P006", "left");
  const auto sequence = OpenSequence(root_.path());
  EXPECT_EQ(sequence->name(), "ocean/Hard/P006");
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 100000000, 200000000, 300000000, 400000000));
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{320.0, 320.0, 320.0, 240.0}));
  for (int i = 0; i < 5; ++i) {
    ExpectPose(*sequence, static_cast<size_t>(i), truth_[static_cast<size_t>(i)]);
    ExpectImage(*sequence, static_cast<size_t>(i), i);
  }
}

TEST_F(TartanAirTest, LookingForwardIsTheIdentity) {
  // A camera at NED's (1, 2, 3) that looks north: 1 m ahead, 2 m right, 3 m down.
  const auto folder = root_.path() / "ocean" / "Easy" / "P000";
  Write(folder, "left");
  WriteFile(folder / "pose_left.txt", "1 2 3 0 0 0 1\n0 0 0 0 0 0.7071067811865476 0.7071067811865476\n");
  const auto sequence = OpenSequence(folder);
  ExpectPose(*sequence, 0, {Quaternion::Identity(), {2.0, 3.0, 1.0}});
  // A turn to the right is about down: z in NED, y in OpenCV.
  ExpectPose(*sequence, 1, {ExpSO3({0.0, M_PI / 2, 0.0}), {0.0, 0.0, 0.0}});
}

TEST_F(TartanAirTest, MissingImagesAndPosesShiftNothing) {
  const auto folder = root_.path() / "soulcity" / "Hard" / "P000";
  Write(folder, "left", 1);
  WriteFile(folder / "pose_left.txt",
            NedLine(truth_[0]) + NedLine(truth_[1]) + "nan nan nan nan nan nan nan\n" + NedLine(truth_[3]));
  const auto sequence = OpenSequence(folder);
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 200000000, 300000000, 400000000));
  ExpectPose(*sequence, 0, truth_[0]);
  ExpectNoPose(*sequence, 1);
  ExpectPose(*sequence, 2, truth_[3]);
  ExpectImage(*sequence, 2, 3);
  ExpectNoPose(*sequence, 3);
}

TEST_F(TartanAirTest, ReadsVersion2) {
  const auto folder = root_.path() / "SoulCity" / "Data_easy" / "P001";
  Write(folder, "lcam_front");
  auto sequence = OpenSequence(folder);
  EXPECT_EQ(sequence->name(), "SoulCity/Data_easy/P001");
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{320.0, 320.0, 320.0, 320.0}));
  EXPECT_EQ(Times(*sequence)[4], 400000000);
  ExpectPose(*sequence, 4, truth_[4]);
  ExpectImage(*sequence, 4, 4);
  WriteFile(folder / "imu" / "cam_time.txt", "0.0\n0.11\n0.21\n0.31\n0.41\n");
  EXPECT_EQ(Times(*OpenSequence(folder))[4], 410000000);
  WriteFile(folder / "imu" / "cam_time.txt", "0.0\n0.11\n");
  EXPECT_THAT(OpenError(folder), HasSubstr("cam_time.txt: has 2 times, but there is an image"));
}

TEST_F(TartanAirTest, NamesTheLineThatIsWrong) {
  const auto folder = root_.path() / "ocean" / "Easy" / "P000";
  Write(folder, "left");
  WriteFile(folder / "pose_left.txt", "0 0 0 0 0 0 1\n0 0 0 0 0 0 2\n");
  EXPECT_THAT(OpenError(folder), HasSubstr("pose_left.txt:2: the quaternion"));
  WriteFile(folder / "pose_left.txt", "0 0 0 0 0 0\n");
  EXPECT_THAT(OpenError(folder), HasSubstr("pose_left.txt:1: the line ends after 6 fields"));
}

}  // namespace
}  // namespace calfvo
