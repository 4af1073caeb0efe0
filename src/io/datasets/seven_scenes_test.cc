// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::ElementsAre;

TEST(SevenScenes, ReadsASequence) {
  const TempFolder root;
  const std::vector<Rigid3> truth = TruePoses(4);
  const auto folder = root.path() / "chess" / "seq-01";
  for (int i : {0, 1, 2, 3}) {
    if (i != 1) WriteFile(folder / fmt::format("frame-{:06}.color.png", i), TruePng(i));
    WriteFile(folder / fmt::format("frame-{:06}.depth.png", i), TruePng(9));
    Eigen::Matrix4d pose = Matrix4(truth[static_cast<size_t>(i)]);
    if (i == 2) pose.topLeftCorner<3, 3>() *= 2.0;  // no rotation
    std::string text;
    for (int row = 0; row < 4; ++row) {
      const Eigen::RowVector4d numbers = pose.row(row);
      text += fmt::format(" {}\t \n", Numbers17(numbers, "\t "));
    }
    WriteFile(folder / fmt::format("frame-{:06}.pose.txt", i), text);
  }
  const auto found = FindSequences(root.path());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "7scenes");
  const auto sequence = OpenSequence(found[0]);
  EXPECT_EQ(sequence->name(), "chess/seq-01");
  EXPECT_THAT(Times(*sequence), ElementsAre(0, 66666667, 100000000));
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{585.0, 585.0, 320.0, 240.0}));
  ExpectPose(*sequence, 0, truth[0]);
  ExpectNoPose(*sequence, 1);
  ExpectPose(*sequence, 2, truth[3]);
  ExpectImage(*sequence, 2, 3);
}

}  // namespace
}  // namespace calfvo
