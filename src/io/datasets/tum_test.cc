// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_layouts.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TumTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::vector<int64_t>& times_us,
                              const std::string& poses, int missing = -1) const {
    WriteTum(root_.path() / name, times_us, poses, missing);
    return root_.path() / name;
  }

  static constexpr int64_t kStart = 1305031102'175304;
  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(6);
};

TEST_F(TumTest, ReadsImagesAndPosesOnTheirOwnClocks) {
  std::string poses;
  for (size_t i = 0; i < 4; ++i) {
    const int64_t time = kStart + static_cast<int64_t>(i) * 33000;
    poses += PoseLine(time - 7000, truth_[5]) + PoseLine(time + 1300, truth_[i]);
  }
  const auto folder =
      Write("rgbd_dataset_freiburg2_desk", {kStart, kStart + 33000, kStart + 66000, kStart + 99000}, poses);
  const auto sequence = OpenSequence(folder);
  EXPECT_EQ(sequence->name(), "rgbd_dataset_freiburg2_desk");
  EXPECT_THAT(Times(*sequence), ElementsAre(1305031102175304000, 1305031102208304000, 1305031102241304000,
                                            1305031102274304000));
  ASSERT_TRUE(sequence->intrinsics().has_value());
  EXPECT_EQ(sequence->intrinsics()->fy, 521.0);
  EXPECT_EQ(sequence->intrinsics()->distortion[4], 0.9172);
  for (int i = 0; i < 4; ++i) {
    ExpectPose(*sequence, static_cast<size_t>(i), truth_[static_cast<size_t>(i)]);
    ExpectImage(*sequence, static_cast<size_t>(i), i);
  }
}

TEST_F(TumTest, FramesWithoutACloseAndFreePoseHaveNone) {
  // 0: nearest pose 20 ms away, which is too far. 1 and 2 want the same pose; 2 is closer to it, and 1 gets
  // the next best. 3: nothing near. 4: the pose is NaN.
  const std::vector<int64_t> times = {kStart, kStart + 100'000, kStart + 110'000, kStart + 200'000,
                                      kStart + 300'000};
  const std::string poses = PoseLine(kStart - 20'000, truth_[0]) + PoseLine(kStart + 81'000, truth_[1]) +
                            PoseLine(kStart + 107'000, truth_[2]) + Stamp(kStart + 300'000) +
                            " NaN NaN NaN NaN NaN NaN NaN\n";
  const auto sequence = OpenSequence(Write("rgbd_dataset_freiburg1_xyz", times, poses));
  ASSERT_EQ(sequence->frames().size(), 5U);
  ExpectNoPose(*sequence, 0);
  ExpectPose(*sequence, 1, truth_[1]);
  ExpectPose(*sequence, 2, truth_[2]);
  ExpectNoPose(*sequence, 3);
  ExpectNoPose(*sequence, 4);
}

TEST_F(TumTest, OfRepeatedTimesTheLastCounts) {
  const auto sequence = OpenSequence(Write("rgbd_dataset_freiburg2_desk", {kStart},
                                           PoseLine(kStart, truth_[0]) + PoseLine(kStart, truth_[1])));
  ExpectPose(*sequence, 0, truth_[1]);
}

TEST_F(TumTest, ImagesThatAreNotThereAreLeftOut) {
  const auto sequence =
      OpenSequence(Write("rgbd_dataset_freiburg1_xyz", {kStart, kStart + 33000, kStart + 66000},
                         PoseLine(kStart + 66000, truth_[2]), 1));
  ASSERT_EQ(sequence->frames().size(), 2U);
  ExpectPose(*sequence, 1, truth_[2]);
  ExpectImage(*sequence, 1, 2);
}

TEST_F(TumTest, ImagesThatExistButAreNotFilesAreNamed) {
  const auto folder = Write("rgbd_dataset_freiburg1_xyz", {kStart, kStart + 33000, kStart + 66000}, "", 1);
  const auto image = folder / "rgb" / (Stamp(kStart + 33000) + ".png");
  std::filesystem::create_directory(image);
  EXPECT_EQ(OpenError(folder), image.string() + ": cannot be read as an image: Is a directory");
  std::filesystem::remove(image);
  std::filesystem::create_symlink(image.filename(), image);
  EXPECT_EQ(OpenError(folder),
            image.string() + ": cannot be read as an image: Too many levels of symbolic links");
  std::filesystem::remove(image);
  std::filesystem::create_symlink("gone.png", image);
  EXPECT_EQ(OpenSequence(folder)->frames().size(), 2U);
}

TEST_F(TumTest, AnyFolderMayHaveTheLayout) {
  const auto folder = Write("my_recording", {kStart}, PoseLine(kStart, truth_[3]));
  EXPECT_EQ(FindSequences(folder).front().kind, "tum-layout");
  const auto sequence = OpenSequence(folder);
  EXPECT_FALSE(sequence->intrinsics().has_value());
  ExpectPose(*sequence, 0, truth_[3]);
  ExpectNoPose(*OpenSequence(Write("without_truth", {kStart}, "")), 0);
}

TEST_F(TumTest, NamesWhatIsWrong) {
  const auto folder = Write("a", {kStart}, "1 2 3\n");
  EXPECT_THAT(OpenError(folder), HasSubstr("groundtruth.txt:3: the line ends after 3 fields"));
  std::filesystem::remove_all(folder / "rgb");
  std::filesystem::remove(folder / "groundtruth.txt");
  EXPECT_THAT(OpenError(folder), HasSubstr("none of its 1 images exists; the first:"));
  WriteFile(folder / "rgb.txt", "");
  EXPECT_THAT(OpenError(folder), HasSubstr("a: has no images"));
}

}  // namespace
}  // namespace calfvo
