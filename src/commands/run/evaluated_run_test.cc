// SPDX-License-Identifier: Apache-2.0
#include "commands/run/evaluated_run.h"

#include <sys/stat.h>

#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A sequence of three images, and an estimate that is wrong in the last edge.
class EvaluatedRunTest : public testing::Test {
 protected:
  EvaluatedRunTest() {
    std::string list;
    for (int i = 0; i < 3; ++i) {
      list += fmt::format("{}.5 rgb/{}.png\n", 100 + i, i);
      WriteFile(At("walk/rgb") / fmt::format("{}.png", i), TruePng(i));
      truth_.timestamps_ns.push_back(i * 1'000'000'000LL);
      truth_.world_from_camera.push_back({Quaternion::Identity(), {0.0, 0.0, 0.5 * i}});
    }
    WriteFile(At("walk/rgb.txt"), list);
    estimate_ = truth_;
    estimate_.world_from_camera[2].translation.x() = 2.0;
  }
  std::filesystem::path At(const std::string& name) const { return root_.path() / name; }
  std::string Input() const { return "dataset:" + At("walk").string(); }
  std::string Report(const ImageOfPose& image_of) const {
    const Evaluation evaluation = Evaluate(truth_, estimate_);
    WriteRunReport({"walk", truth_, estimate_, evaluation}, edges_, image_of, At("report"));
    return ReadWholeFile(At("report/report.html"));
  }

  const TempFolder root_;
  Trajectory truth_;
  Trajectory estimate_;
  std::vector<EdgeRecord> edges_ =
      std::vector<EdgeRecord>(3, {.windows = 1, .sigma_translation_m = 0.1, .sigma_rotation_rad = 0.01});
};

TEST_F(EvaluatedRunTest, ShowsTheImagesOfTheLargestErrors) {
  ImagesAgain images(Input(), {});
  std::vector<size_t> asked;
  const std::string page = Report([&](size_t pose, Frame& image) {
    images.Read(pose, image);
    EXPECT_EQ(image.rgb, TrueImage(static_cast<int>(pose)).rgb);
    asked.push_back(pose);
  });
  EXPECT_THAT(asked, testing::ElementsAre(0, 1, 2));  // no rotation is wrong, so only the first is shown
  EXPECT_THAT(page, HasSubstr("95 % bound"));
  EXPECT_THAT(page, HasSubstr("src=\"data:image/png;base64,"));
  EXPECT_THAT(ReadWholeFile(At("report/largest-errors.png")), StartsWith("\x89PNG"));
}

// Both sides of a thumbnail are bounded: 240 px wide, these would be 120 000 px high.
TEST_F(EvaluatedRunTest, ShowsImagesThatAreMuchHigherThanWide) {
  Report([](size_t, Frame& image) {
    image.width = 4;
    image.height = 2000;
    image.rgb.assign(size_t{3} * 4 * 2000, 100);
  });
  const std::string png = ReadWholeFile(At("report/largest-errors.png"));
  ASSERT_THAT(png, StartsWith("\x89PNG"));
  const auto big_endian = [&](size_t at) {
    uint32_t number = 0;
    for (size_t i = at; i < at + 4; ++i) number = number << 8 | static_cast<uint8_t>(png[i]);
    return number;
  };
  EXPECT_GT(big_endian(16), 900U);  // the width, with room for captions
  EXPECT_LT(big_endian(16), 1100U);
  EXPECT_LT(big_endian(20), 4 * 550U);
}

TEST_F(EvaluatedRunTest, WithoutConfidenceTheReportHasNone) {
  edges_.assign(3, {.windows = 1});
  EXPECT_THAT(Report(nullptr), testing::Not(HasSubstr("95 % bound")));
}

TEST_F(EvaluatedRunTest, WithoutImagesThereAreTheFigures) {
  EXPECT_THAT(Report(nullptr), testing::Not(HasSubstr("data:image/png")));
  EXPECT_FALSE(std::filesystem::exists(At("report/largest-errors.png")));
}

TEST_F(EvaluatedRunTest, ReportsAnInputThatHasBecomeShorter) {
  WriteFile(At("walk/rgb.txt"), "100.5 rgb/0.png\n101.5 rgb/1.png\n");
  ImagesAgain images(Input(), {});
  Frame image;
  images.Read(1, image);
  EXPECT_THAT(ErrorFrom([&] { images.Read(2, image); }), HasSubstr("ends at frame 2 when read again"));
}

TEST_F(EvaluatedRunTest, PipesAndDevicesCannotBeReadAgain) {
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(CanBeReadAgain(At("pipe").string()));
  EXPECT_FALSE(CanBeReadAgain("/dev/null"));
  EXPECT_FALSE(CanBeReadAgain("-"));
  EXPECT_FALSE(CanBeReadAgain("lavfi:testsrc=size=64x48"));
  EXPECT_TRUE(CanBeReadAgain(Input()));
  EXPECT_TRUE(CanBeReadAgain(At("walk/rgb/*.png").string()));
}

}  // namespace
}  // namespace calfvo
