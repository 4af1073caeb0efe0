// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/test_jpeg.h"
#include "io/datasets/test_layouts.h"
#include "io/datasets/test_sens.h"
#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

constexpr int kJpegTolerance = 4;

constexpr std::string_view kLost =
    "-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n";

class ScanNetTest : public testing::Test {
 protected:
  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(12);
};

TEST_F(ScanNetTest, ReadsJpegFromSens) {
  SensFields fields;
  fields.frames.push_back({FloatMatrix(truth_[0]), 0, EncodeJpeg(TrueImage(3)), "zlib"});
  WriteFile(root_.path() / "scene0000_00.sens", SensBytes(fields));
  const auto sequence = OpenSequence(root_.path() / "scene0000_00.sens");
  ExpectImage(*sequence, 0, 3, kJpegTolerance);
  ExpectPose(*sequence, 0, truth_[0], 1e-6);
}

TEST_F(ScanNetTest, ReadsThePythonExport) {
  const auto folder = root_.path() / "scene0011_01";
  for (int i = 0; i < 12; ++i) {
    WriteFile(folder / "color" / fmt::format("{}.jpg", i), EncodeJpeg(TrueImage(i)));
    const std::string pose =
        i == 3 ? std::string(kLost) : MatrixText(Matrix4(truth_[static_cast<size_t>(i)]));
    if (i != 5) WriteFile(folder / "pose" / fmt::format("{}.txt", i), pose);
  }
  WriteScanNetIntrinsics(folder);
  const auto sequence = OpenSequence(folder);
  EXPECT_EQ(sequence->name(), "scene0011_01");
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{1170.187988, 1170.187988, 647.75, 483.75}));
  ASSERT_EQ(sequence->frames().size(), 12U);
  EXPECT_EQ(Times(*sequence)[2], 66666667);
  for (size_t i = 0; i < 12; ++i) {
    if (i == 3 || i == 5) {
      ExpectNoPose(*sequence, i);
    } else {
      ExpectPose(*sequence, i, truth_[i], 2e-6);
    }
    ExpectImage(*sequence, i, static_cast<int>(i), kJpegTolerance);  // 10 comes after 9, not after 1
  }
}

TEST_F(ScanNetTest, ReadsTheCppExport) {
  const auto folder = root_.path() / "scene0000_00";
  for (int i : {0, 1, 3}) {
    WriteFile(folder / fmt::format("frame-{:06}.color.jpg", i), EncodeJpeg(TrueImage(i)));
    WriteFile(folder / fmt::format("frame-{:06}.pose.txt", i),
              MatrixText(Matrix4(truth_[static_cast<size_t>(i)])));
  }
  WriteFile(folder / "_info.txt",
            "m_versionNumber = 4\nm_sensorName = StructureSensor\nm_colorWidth = 1296\n"
            "m_calibrationColorIntrinsic = 1169.6 0 646.3 0 0 1167.1 489.9 0 0 0 1 0 0 0 0 1 \n");
  const auto sequence = OpenSequence(folder);
  EXPECT_EQ(FindSequences(folder).front().kind, "scannet");
  EXPECT_EQ(sequence->intrinsics(), (CameraIntrinsics{1169.6, 1167.1, 646.3, 489.9}));
  EXPECT_THAT(Times(*sequence), testing::ElementsAre(0, 33333333, 100000000));
  ExpectPose(*sequence, 2, truth_[3], 2e-6);
  ExpectImage(*sequence, 2, 3, kJpegTolerance);
}

TEST_F(ScanNetTest, NamesThePoseFileThatIsWrong) {
  const auto folder = root_.path() / "scene0000_00";
  WriteFile(folder / "color" / "0.jpg", EncodeJpeg(TrueImage(0)));
  WriteFile(folder / "pose" / "0.txt", "1 0 0 0\n");
  EXPECT_THAT(OpenError(folder), HasSubstr("pose/0.txt: has 4 numbers; expected 16"));
  WriteFile(folder / "pose" / "0.txt", "1 0 0 zero\n");
  EXPECT_THAT(OpenError(folder), HasSubstr("pose/0.txt:1: field 4 'zero' is not a number"));
}

}  // namespace
}  // namespace calfvo
