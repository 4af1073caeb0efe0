// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_layouts.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class VirtualKittiTest : public testing::Test {
 protected:
  std::filesystem::path Write1() const {
    const auto folder = root_.path() / "vkitti_1.3.1_rgb" / "0001" / "15-deg-left";
    std::string text = "frame r1,1 r1,2 r1,3 t1 r2,1 r2,2 r2,3 t2 r3,1 r3,2 r3,3 t3 0 0 0 1\n";
    for (int i = 0; i < 4; ++i) {
      WriteFile(folder / fmt::format("{:05}.png", i), TruePng(i));
      if (i != 1) text += ExtrinsicLine(std::to_string(i), truth_[static_cast<size_t>(i)]);
    }
    WriteFile(root_.path() / "vkitti_1.3.1_extrinsicsgt" / "0001_15-deg-left.txt", text);
    return folder;
  }

  std::filesystem::path Write2(const std::filesystem::path& rgb, const std::filesystem::path& text) const {
    return WriteVirtualKitti2(rgb, text, truth_);
  }

  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(4);
};

TEST_F(VirtualKittiTest, ReadsVersion1) {
  const auto sequence = OpenSequence(Write1());
  EXPECT_EQ(sequence->name(), "0001/15-deg-left");
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 100000000, 200000000, 300000000));
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{725.0, 725.0, 620.5, 187.0}));
  for (int i : {0, 2, 3}) {
    ExpectPose(*sequence, static_cast<size_t>(i), truth_[static_cast<size_t>(i)]);
    ExpectImage(*sequence, static_cast<size_t>(i), i);
  }
  ExpectNoPose(*sequence, 1);  // has no row
}

TEST_F(VirtualKittiTest, ReadsVersion2) {
  const auto sequence = OpenSequence(Write2(root_.path(), root_.path()));
  EXPECT_EQ(sequence->name(), "Scene01/clone");
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 100000000, 200000000, 300000000));
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{725.0087, 725.0087, 620.5, 187.0}));
  for (int i = 0; i < 4; ++i) {
    ExpectPose(*sequence, static_cast<size_t>(i), truth_[static_cast<size_t>(i)]);
    ExpectImage(*sequence, static_cast<size_t>(i), i);
  }
}

TEST_F(VirtualKittiTest, ReadsVersion2WithAFolderPerArchive) {
  const auto path = Write2(root_.path() / "vkitti_2.0.3_rgb", root_.path() / "vkitti_2.0.3_textgt");
  ExpectPose(*OpenSequence(path), 2, truth_[2]);
  EXPECT_EQ(FindSequences(root_.path()).size(), 1U);
}

TEST_F(VirtualKittiTest, NamesWhatIsWrong) {
  const auto path = Write2(root_.path(), root_.path());
  WriteFile(path / "extrinsic.txt", "frame cameraID\n0 0 2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1\n");
  EXPECT_THAT(OpenError(path), HasSubstr("extrinsic.txt:2: the matrix is not a rigid motion"));
  std::filesystem::remove(path / "extrinsic.txt");
  EXPECT_THAT(OpenError(path), HasSubstr("unpack vkitti_2.0.3_textgt.tar.gz"));
}

}  // namespace
}  // namespace calfvo
