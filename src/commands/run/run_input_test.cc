// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_input.h"

#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

class RunInputTest : public testing::Test {
 protected:
  RunInputTest() {
    std::string list;
    for (int i = 0; i < 3; ++i) {
      list += fmt::format("{}.5 rgb/{}.png\n", 100 + i, i);
      WriteFile(root_.path() / "walk" / "rgb" / fmt::format("{}.png", i), TruePng(i));
    }
    WriteFile(root_.path() / "walk" / "rgb.txt", list);
  }
  std::string Input() const { return "dataset:" + root_.path().string(); }

  const TempFolder root_;
};

TEST_F(RunInputTest, ASequenceComesWithItsTimes) {
  const auto source = OpenInput(Input(), {});
  EXPECT_EQ(source->info().kind, "dataset");
  EXPECT_EQ(source->info().frame_count, 3);
  EXPECT_DOUBLE_EQ(source->info().rate_hz, 1.0);
  Frame frame;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(source->Next(frame));
    EXPECT_EQ(frame.index, i);
    EXPECT_EQ(frame.timestamp_ns, 100'500'000'000 + i * 1'000'000'000LL);
    EXPECT_EQ(frame.rgb, TrueImage(i).rgb);
  }
  EXPECT_FALSE(source->Next(frame));
}

TEST_F(RunInputTest, StrideAndCutAreThoseOfOtherInputs) {
  const auto source = OpenInput(Input(), {.stride = 2});
  Frame frame;
  ASSERT_TRUE(source->Next(frame));
  ASSERT_TRUE(source->Next(frame));
  EXPECT_EQ(frame.index, 2);
  EXPECT_FALSE(source->Next(frame));
}

TEST_F(RunInputTest, ABrokenImageIsAnError) {
  WriteFile(root_.path() / "walk" / "rgb" / "1.png", "no image");
  const auto source = OpenInput(Input(), {});
  Frame frame;
  ASSERT_TRUE(source->Next(frame));
  EXPECT_THAT(ErrorFrom([&] { source->Next(frame); }), HasSubstr("1.png"));
}

TEST_F(RunInputTest, OtherInputsAreLeftToOpenFrames) {
  EXPECT_EQ(OpenInput((root_.path() / "walk" / "rgb").string(), {})->info().kind, "images");
  EXPECT_EQ(ErrorFrom([] { OpenInput("dataset:", {}); }), "dataset: expected a path after it");
  EXPECT_THAT(ErrorFrom([] { OpenInput("dataset:/none/here", {}); }),
              HasSubstr("/none/here: no such file or folder"));
}

TEST(AbsoluteInput, MeansTheSameFromAnyFolder) {
  const TempFolder folder;
  const std::filesystem::path root = std::filesystem::canonical(folder.path());
  std::filesystem::create_directories(root / "frames");
  std::filesystem::create_directory_symlink(root / "frames", root / "link");
  const std::string frames = (root / "frames").string();
  EXPECT_EQ(AbsoluteInput(frames + "/"), frames);
  EXPECT_EQ(AbsoluteInput((root / "link").string()), frames);
  EXPECT_EQ(AbsoluteInput("dataset:" + frames + "/."), "dataset:" + frames);
  EXPECT_EQ(AbsoluteInput("dataset:"), "dataset:");
  EXPECT_EQ(AbsoluteInput("img*.png"), (std::filesystem::current_path() / "img*.png").string());
  EXPECT_EQ(AbsoluteInput("-"), "-");
  EXPECT_EQ(AbsoluteInput("lavfi:testsrc"), "lavfi:testsrc");
}

}  // namespace
}  // namespace calfvo
