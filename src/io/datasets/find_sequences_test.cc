// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Names(const std::vector<FoundSequence>& found) {
  std::vector<std::string> names;
  for (const FoundSequence& sequence : found) names.push_back(sequence.kind + ":" + sequence.name);
  return names;
}

class FindSequencesTest : public testing::Test {
 protected:
  void Touch(const std::string& path) const { WriteFile(root_.path() / path, ""); }

  const TempFolder root_;
};

TEST_F(FindSequencesTest, DistinguishesTheDatasets) {
  Touch("a/scans/scene0000_00/scene0000_00.sens");
  Touch("a/scans/scene0000_00/color/0.jpg");  // exported beside it
  Touch("a/scans/scene0000_00/pose/0.txt");
  Touch("b/kitti/sequences/10/times.txt");
  Touch("b/kitti/sequences/10/image_2/000000.png");
  Touch("b/kitti/sequences/9/times.txt");
  Touch("b/kitti/sequences/9/image_2/000000.png");
  Touch("b/vkitti_1.3.1_rgb/0001/clone/00000.png");
  Touch("b/vkitti_2/Scene01/fog/frames/rgb/Camera_0/rgb_00000.jpg");
  Touch("c/ocean/Hard/P000/image_left/000000_left.png");
  Touch("c/ocean/Hard/P000/pose_left.txt");
  Touch("c2/Ocean/Data_hard/P000/image_lcam_front/000000_lcam_front.png");
  Touch("c2/Ocean/Data_hard/P000/pose_lcam_front.txt");
  Touch("d/MH_01_easy/mav0/cam0/data.csv");
  Touch("e/rgbd_dataset_freiburg1_xyz/rgb.txt");
  Touch("e/walk/rgb.txt");
  Touch("f/stairs/seq-01/frame-000000.color.png");
  EXPECT_THAT(
      Names(FindSequences(root_.path())),
      ElementsAre("scannet:scene0000_00", "kitti:9", "kitti:10", "vkitti1:0001/clone", "vkitti2:Scene01/fog",
                  "tartanair1:ocean/Hard/P000", "tartanair2:Ocean/Data_hard/P000", "euroc:MH_01_easy",
                  "tum:rgbd_dataset_freiburg1_xyz", "tum-layout:walk", "7scenes:stairs/seq-01"));
}

TEST_F(FindSequencesTest, NamesWhatItLookedFor) {
  Touch("folder/image.png");
  const std::string message = OpenError(root_.path());
  EXPECT_THAT(message, HasSubstr(root_.path().string() + ": no dataset was recognised here or below"));
  EXPECT_THAT(message, HasSubstr(" kitti (times.txt with image_2/ or image_0/), "));
  EXPECT_THAT(message, HasSubstr(" tum-layout (rgb.txt)."));
  EXPECT_THAT(OpenError(root_.path() / "nowhere"), HasSubstr("nowhere: no such file or folder"));
}

TEST_F(FindSequencesTest, AsksForOneOfSeveral) {
  Touch("a/rgb.txt");
  Touch("b/rgb.txt");
  EXPECT_THAT(OpenError(root_.path()),
              HasSubstr("holds 2 sequences; give the path of one, such as " + (root_.path() / "a").string()));
}

TEST_F(FindSequencesTest, LinksInCirclesEnd) {
  Touch("a/rgb.txt");
  std::filesystem::create_directory_symlink(root_.path(), root_.path() / "z");
  std::filesystem::create_directory_symlink(root_.path() / "a", root_.path() / "b");
  EXPECT_THAT(Names(FindSequences(root_.path())), ElementsAre("tum-layout:a"));
}

TEST_F(FindSequencesTest, PathsMayBeRelativeAndEndInASlash) {
  Touch("walk/rgb.txt");
  EXPECT_THAT(Names(FindSequences(root_.path() / "walk" / "")), ElementsAre("tum-layout:walk"));
  EXPECT_THAT(Names(FindSequences(root_.path() / "walk" / "." / "..")), ElementsAre("tum-layout:walk"));
}

TEST_F(FindSequencesTest, ImagesThatCannotBeReadAreNamed) {
  WriteFile(root_.path() / "walk/rgb.txt", "1.0 rgb/1.png\n");
  WriteFile(root_.path() / "walk/rgb/1.png", "no image");
  const auto sequence = OpenSequence(root_.path());
  EXPECT_THAT(sequence->frames()[0].image, testing::EndsWith("walk/rgb/1.png, 8 bytes"));
  Frame frame;
  EXPECT_THAT(ErrorFrom([&] { sequence->Read(0, frame); }),
              HasSubstr("walk/rgb/1.png: begins with 'no image'"));
  std::filesystem::remove(root_.path() / "walk/rgb/1.png");
  EXPECT_THAT(ErrorFrom([&] { sequence->Read(0, frame); }),
              HasSubstr("walk/rgb/1.png: cannot read: No such file"));
}

TEST_F(FindSequencesTest, TwoImagesOfOneNumberAreRefused) {
  for (const char* name : {"color/1.jpg", "color/01.jpg", "pose/1.txt"}) Touch(name);
  EXPECT_THAT(OpenError(root_.path()), HasSubstr("color: two images have the number 1"));
}

}  // namespace
}  // namespace calfvo
