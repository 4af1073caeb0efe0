// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_layouts.h"

namespace calfvo {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class KittiTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& number, const std::string& images, bool with_poses,
                              int missing = -1) {
    return WriteKitti(root_.path() / "dataset", number, truth_, images, with_poses, missing);
  }

  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(5);
};

TEST_F(KittiTest, ReadsTheLeftColourCamera) {
  const auto sequence = OpenSequence(Write("00", "image_2", true));
  EXPECT_EQ(sequence->name(), "00");
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 103600000, 207200000, 310800000, 414400000));
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{kKittiFocal, kKittiFocal, 607.1928, 185.2157}));
  for (int i = 0; i < 5; ++i) {
    ExpectPose(*sequence, static_cast<size_t>(i), truth_[static_cast<size_t>(i)]);
    ExpectImage(*sequence, static_cast<size_t>(i), i);
  }
}

TEST_F(KittiTest, GreyImagesAreOfCameraZero) {
  const auto sequence = OpenSequence(Write("00", "image_0", true));
  ExpectPose(*sequence, 3, truth_[3]);
}

TEST_F(KittiTest, AMissingImageShiftsNothing) {
  const auto sequence = OpenSequence(Write("00", "image_2", true, 2));
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 103600000, 310800000, 414400000));
  ExpectPose(*sequence, 2, truth_[3]);
  ExpectImage(*sequence, 2, 3);
}

TEST_F(KittiTest, SequencesOfTheHiddenTestHaveNoPoses) {
  const auto sequence = OpenSequence(Write("11", "image_2", false));
  ASSERT_EQ(sequence->frames().size(), 5U);
  for (size_t i = 0; i < 5; ++i) ExpectNoPose(*sequence, i);
}

TEST_F(KittiTest, NamesWhatIsWrong) {
  const auto path = Write("00", "image_2", true);
  WriteFile(path / "times.txt", "0\n0.1\n");
  EXPECT_THAT(OpenError(path), AllOf(HasSubstr("poses/00.txt: has 5 poses, but"), HasSubstr("has 2 times")));
  std::filesystem::remove(root_.path() / "dataset" / "poses" / "00.txt");
  EXPECT_THAT(OpenError(path), HasSubstr("times.txt: has 2 times, but there is an image"));
  WriteFile(path / "calib.txt", "P0: 1 2 3\n");
  EXPECT_THAT(OpenError(path), HasSubstr("calib.txt: has no line that begins with P2:"));
  WriteFile(path / "calib.txt", "P2: 0 0 0 0 0 0 0 0 0 0 0 0\n");
  EXPECT_THAT(OpenError(path), HasSubstr("calib.txt:1: the focal lengths are not positive"));
}

}  // namespace
}  // namespace calfvo
