// SPDX-License-Identifier: Apache-2.0
#include "run/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/testing.h"
#include "run/run_input.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() : out_(folder_.path() / "out") { std::filesystem::create_directories(out_); }

  void Write(const std::string& name, const std::string& text = "x") const {
    std::ofstream(folder_.path() / name) << text;
  }
  bool Has(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }
  std::string Video(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string Refusal(const std::string& input, bool overwrite = false) const {
    return ErrorFrom([&] { CheckRunFolder(out_, input, overwrite); });
  }
  // A whole run, or one that was killed.
  void RunOf(const std::string& input, bool whole = true) const {
    BeginRunFolder(out_, input, /*overwrite=*/true);
    Write("out/poses.csv");
    std::filesystem::create_directories(out_ / "report");
    Write("out/report/report.html");
    const std::string json = R"({"input": ")" + AbsoluteInput(input) + R"(", "interrupted": false})";
    if (whole) FinishRunFolder(out_, json);
  }

  const TempFolder folder_;
  const std::filesystem::path out_;
};

TEST_F(RunFolderTest, ARunReplacesAnEarlierOneOfItsInputAndNothingElse) {
  RunOf(Video("a.mp4"));
  Write("out/notes.txt");
  EXPECT_EQ(Refusal(Video("a.mp4")), "no error");
  EXPECT_EQ(Refusal(Video("sub/../a.mp4")), "no error");
  EXPECT_THAT(Refusal(Video("b.mp4")), HasSubstr("out: holds results of " + AbsoluteInput(Video("a.mp4"))));
  EXPECT_EQ(Refusal(Video("b.mp4"), /*overwrite=*/true), "no error");
  EXPECT_TRUE(Has("out/report/report.html"));

  BeginRunFolder(out_, Video("a.mp4"), false);
  for (const char* gone : {"out/run.json", "out/poses.csv", "out/report"}) EXPECT_FALSE(Has(gone)) << gone;
  EXPECT_TRUE(Has("out/notes.txt"));
}

TEST_F(RunFolderTest, WhatAKilledRunLeftIsOfItsInputToo) {
  RunOf(Video("a.mp4"), /*whole=*/false);
  Write("out/.poses.csv.123-0.part");
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
  EXPECT_THAT(Refusal(Video("b.mp4")), HasSubstr("holds results of"));
  BeginRunFolder(out_, Video("a.mp4"), false);
  EXPECT_FALSE(Has("out/poses.csv"));
  EXPECT_FALSE(Has("out/.poses.csv.123-0.part"));
  EXPECT_EQ(Refusal(Video("b.mp4")), "no error");  // which left nothing
}

TEST_F(RunFolderTest, OnlyAWholeRunOfTheSameInputIsFinished) {
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
  RunOf(Video("a.mp4"));
  EXPECT_FALSE(Has("out/unfinished.json"));
  EXPECT_TRUE(FinishedRun(out_, Video("a.mp4")).has_value());
  EXPECT_FALSE(FinishedRun(out_, Video("b.mp4")).has_value());
  FinishRunFolder(out_, R"({"input": ")" + AbsoluteInput(Video("a.mp4")) + R"(", "interrupted": true})");
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
}

TEST_F(RunFolderTest, CamerasAndPipesCannotBeReadAgain) {
  RunOf("-");
  EXPECT_THAT(Refusal("-"), HasSubstr("holds results of -, which cannot be read again"));
  EXPECT_EQ(Refusal("-", /*overwrite=*/true), "no error");
}

TEST_F(RunFolderTest, FilesThatNoRunLeftAreNeverRemoved) {
  std::filesystem::create_directories(out_ / "report");
  EXPECT_THAT(Refusal(Video("a.mp4"), /*overwrite=*/true), HasSubstr("out/report: is in the way"));
  for (const char* text : {"", "no JSON", "[1]", R"({"input": 1})"}) {
    Write("out/run.json", text);
    EXPECT_THAT(Refusal(Video("a.mp4"), true), HasSubstr("out/run.json: is in the way")) << text;
  }
}

// What would take long to parse, or be too deep to copy.
TEST_F(RunFolderTest, MonstrousFilesAreRefused) {
  const std::string video = Video("a.mp4");
  const auto run_json = [&](const std::string& more) {
    return R"({"input": ")" + AbsoluteInput(video) + R"(", "interrupted": false)" + more + "}";
  };
  const auto keys = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += R"(, "key)" + std::to_string(i) + R"(": 1)";
    return text;
  };
  const auto nested = [](size_t depth) {
    return R"(, "a": )" + std::string(depth, '[') + std::string(depth, ']');
  };
  for (const std::string& most : {keys(9998), nested(15), R"(, "a": ")" + std::string(1 << 20, 'x') + '"'}) {
    Write("out/run.json", run_json(most));
    EXPECT_TRUE(FinishedRun(out_, video).has_value());
    EXPECT_EQ(Refusal(video), "no error");
  }
  const std::pair<std::string, std::string> monsters[] = {
      {keys(9999), "has over 10000 keys"},
      {keys(500'000), "has over 10000 keys"},
      {nested(16), "is nested over 16 deep"},
      {nested(1'000'000), "is nested over 16 deep"},
      {R"(, "a": ")" + std::string(16 << 20, 'x') + '"', "has over 16 MiB"}};
  for (const auto& [more, what] : monsters) {
    Write("out/run.json", run_json(more));
    EXPECT_FALSE(FinishedRun(out_, video).has_value());
    EXPECT_EQ(Refusal(video, /*overwrite=*/true),
              (out_ / "run.json").string() + ": " + what +
                  ", which calfvo run does not write; give another folder by -o, or move it away");
  }
  // One that a run is known to have been about to replace is none in the way.
  Write("out/unfinished.json", R"({"input": ")" + AbsoluteInput(video) + R"("})");
  EXPECT_EQ(Refusal(video), "no error");
}

// They would be among the pictures of the next run.
TEST_F(RunFolderTest, PicturesOfARunAreKeptApartFromThoseOfItsInput) {
  const std::string out = out_.string();
  for (const std::string& input : {out, out + "/", out + "/../out", out + "/*.png", out + "/p*.png",
                                   Video("*/confidence*"), out + "/*/*.png", out + "/../out/*.png"}) {
    EXPECT_THAT(Refusal(input, /*overwrite=*/true), HasSubstr("out: the pictures of " + input + " are there"))
        << input;
  }
  for (const std::string& input :
       {out + "/img*.png", Video("*.png"), "dataset:" + out, folder_.path().string()}) {
    EXPECT_EQ(Refusal(input), "no error") << input;
  }
}

TEST_F(RunFolderTest, NamesThatAreNotUtf8AreKnownAgain) {
  const std::string input = Video("caf\xe9.mp4");
  BeginRunFolder(out_, input, false);
  Write("out/poses.csv");
  EXPECT_EQ(Refusal(input), "no error");
}

TEST(DefaultRunFolder, IsNamedAfterTheInput) {
  const std::filesystem::path here = std::filesystem::current_path().filename();
  EXPECT_EQ(DefaultRunFolder("a/holiday.mp4"), "holiday-calfvo");
  EXPECT_EQ(DefaultRunFolder("a/frames/"), "frames-calfvo");
  EXPECT_EQ(DefaultRunFolder("dataset:scans/scene0707_00"), "scene0707_00-calfvo");
  EXPECT_EQ(DefaultRunFolder("/dev/video0"), "video0-calfvo");
  EXPECT_EQ(DefaultRunFolder("-"), "stdin-calfvo");
  EXPECT_EQ(DefaultRunFolder("./-dash.mp4"), "dash-calfvo");
  EXPECT_EQ(DefaultRunFolder("shots/left*.png"), "left-calfvo");
  EXPECT_EQ(DefaultRunFolder("shots/*.png"), "shots-calfvo");
  EXPECT_EQ(DefaultRunFolder("*.png"), here.string() + "-calfvo");
  EXPECT_EQ(DefaultRunFolder("."), here.string() + "-calfvo");
  EXPECT_EQ(DefaultRunFolder("lavfi:testsrc=size=64x48"), "lavfi-calfvo");
}

}  // namespace
}  // namespace calfvo
