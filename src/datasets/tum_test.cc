// SPDX-License-Identifier: Apache-2.0
#include "datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "1305031102.175304": microseconds, as in the sets.
std::string Stamp(int64_t microseconds) {
  return fmt::format("{}.{:06}", microseconds / 1'000'000, microseconds % 1'000'000);
}

std::string PoseLine(int64_t microseconds, const Rigid3& pose) {
  const Quaternion& q = pose.rotation;
  const auto& t = pose.translation;
  return fmt::format("{} {} {} {} {} {} {} {}\n", Stamp(microseconds), t.x(), t.y(), t.z(), q.x(), q.y(),
                     q.z(), q.w());
}

class TumTest : public testing::Test {
 protected:
  // Pictures at `times_us`, numbered from 0, without the one at `missing`.
  std::filesystem::path Write(const std::string& name, const std::vector<int64_t>& times_us,
                              const std::string& poses, int missing = -1) const {
    const auto folder = root_.path() / name;
    std::string list = "# color images\n# file: 'x.bag'\n# timestamp filename\n";
    for (size_t i = 0; i < times_us.size(); ++i) {
      const std::string file = fmt::format("rgb/{}.png", Stamp(times_us[i]));
      list += fmt::format("{} {}\n", Stamp(times_us[i]), file);
      if (static_cast<int>(i) != missing) WriteFile(folder / file, TruePng(static_cast<int>(i)));
    }
    WriteFile(folder / "rgb.txt", list);
    if (!poses.empty()) {
      WriteFile(folder / "groundtruth.txt",
                "# ground truth trajectory\n# timestamp tx ty tz qx qy qz qw\n" + poses);
    }
    return folder;
  }

  static constexpr int64_t kStart = 1305031102'175304;
  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(6);
};

TEST_F(TumTest, ReadsPicturesAndPosesOnTheirOwnClocks) {
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
    ExpectPicture(*sequence, static_cast<size_t>(i), i);
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

TEST_F(TumTest, PicturesThatAreNotThereAreLeftOut) {
  const auto sequence =
      OpenSequence(Write("rgbd_dataset_freiburg1_xyz", {kStart, kStart + 33000, kStart + 66000},
                         PoseLine(kStart + 66000, truth_[2]), 1));
  ASSERT_EQ(sequence->frames().size(), 2U);
  ExpectPose(*sequence, 1, truth_[2]);
  ExpectPicture(*sequence, 1, 2);
}

TEST_F(TumTest, PicturesThatAreThereButAreNoFilesAreTold) {
  const auto folder = Write("rgbd_dataset_freiburg1_xyz", {kStart, kStart + 33000, kStart + 66000}, "", 1);
  const auto picture = folder / "rgb" / (Stamp(kStart + 33000) + ".png");
  std::filesystem::create_directory(picture);
  EXPECT_EQ(OpenError(folder), picture.string() + ": cannot be read as a picture: Is a directory");
  std::filesystem::remove(picture);
  std::filesystem::create_symlink(picture.filename(), picture);
  EXPECT_EQ(OpenError(folder),
            picture.string() + ": cannot be read as a picture: Too many levels of symbolic links");
  std::filesystem::remove(picture);
  std::filesystem::create_symlink("gone.png", picture);
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

TEST_F(TumTest, SaysWhatIsWrong) {
  const auto folder = Write("a", {kStart}, "1 2 3\n");
  EXPECT_THAT(OpenError(folder), HasSubstr("groundtruth.txt:3: the line ends after 3 fields"));
  std::filesystem::remove_all(folder / "rgb");
  std::filesystem::remove(folder / "groundtruth.txt");
  EXPECT_THAT(OpenError(folder), HasSubstr("none of its 1 pictures exists; the first:"));
  WriteFile(folder / "rgb.txt", "");
  EXPECT_THAT(OpenError(folder), HasSubstr("a: has no pictures"));
}

}  // namespace
}  // namespace calfvo
