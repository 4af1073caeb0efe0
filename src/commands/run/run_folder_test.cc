// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_folder.h"
#include "commands/run/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <thread>

#include "commands/run/evaluated_run.h"
#include "commands/run/refine_outputs.h"
#include "commands/run/run_input.h"
#include "commands/run/run_outputs.h"
#include "commands/run/run_report.h"
#include "core/base/testing.h"

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
  RunPlan Plan(const std::string& input, bool overwrite = false) const {
    return {.folder = out_,
            .input = input,
            .files = {"poses.csv", "path.png", "uncertainty.png", "report/report.html", "report/path.png"},
            .overwrite = overwrite};
  }
  std::string Refusal(const std::string& input, bool overwrite = false) const {
    return ErrorFrom([&] { CheckRunFolder(Plan(input, overwrite)); });
  }
  static std::string RunJsonOf(const std::string& input, const RunFolder& folder, bool interrupted = false) {
    RunReport report;
    report.input = AbsoluteInput(input);
    report.interrupted = interrupted;
    report.files = folder.Written();
    return RunReportJson(report);
  }
  // A whole run, or one that was killed.
  void RunOf(const std::string& input, bool whole = true, bool interrupted = false) const {
    RunFolder folder(Plan(input, /*overwrite=*/true));
    Write("out/poses.csv");
    std::filesystem::create_directories(out_ / "report");
    Write("out/report/report.html");
    if (whole) folder.Finish(RunJsonOf(input, folder, interrupted));
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

  const RunFolder again(Plan(Video("a.mp4")));
  for (const char* gone : {"out/run.json", "out/poses.csv", "out/report"}) EXPECT_FALSE(Has(gone)) << gone;
  EXPECT_TRUE(Has("out/notes.txt"));
}

TEST_F(RunFolderTest, EveryFileOfARunCanBeReplaced) {
  RunPlan plan = Plan(Video("a.mp4"));
  plan.files = RunOutputs::Files({});
  for (const auto& more :
       {RefineOutputs::Files(), RunReportFiles(), std::vector<std::string>{"groundtruth.tum", "view.html"}}) {
    plan.files.insert(plan.files.end(), more.begin(), more.end());
  }
  {
    RunFolder folder(plan);
    for (const std::string& file : plan.files) {
      std::filesystem::create_directories((out_ / file).parent_path());
      Write("out/" + file);
    }
    folder.Finish(RunJsonOf(plan.input, folder));
  }
  const RunFolder again(plan);
  for (const std::string& file : plan.files) EXPECT_FALSE(Has("out/" + file)) << file;
}

TEST_F(RunFolderTest, WhatAKilledRunLeftIsOfItsInputToo) {
  RunOf(Video("a.mp4"), /*whole=*/false);
  Write("out/.calfvo-0123456789abcdef.part");
  Write("out/.poses.csv.123-0.part");
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
  EXPECT_THAT(Refusal(Video("b.mp4")), HasSubstr("holds results of"));
  const RunFolder again(Plan(Video("a.mp4")));
  EXPECT_FALSE(Has("out/poses.csv"));
  EXPECT_FALSE(Has("out/.calfvo-0123456789abcdef.part"));
  EXPECT_TRUE(Has("out/.poses.csv.123-0.part"));
}

TEST_F(RunFolderTest, OnlyAWholeRunOfTheSameInputIsFinished) {
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
  RunOf(Video("a.mp4"));
  EXPECT_FALSE(Has("out/unfinished.json"));
  EXPECT_TRUE(FinishedRun(out_, Video("a.mp4")).has_value());
  EXPECT_FALSE(FinishedRun(out_, Video("b.mp4")).has_value());
  RunOf(Video("a.mp4"), /*whole=*/true, /*interrupted=*/true);
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
}

TEST_F(RunFolderTest, ARunWithoutAllOfItsFilesIsNotFinished) {
  RunOf(Video("a.mp4"));
  ASSERT_TRUE(FinishedRun(out_, Video("a.mp4")).has_value());
  Write("out/poses.csv", "y");
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
  std::filesystem::remove(out_ / "poses.csv");
  EXPECT_FALSE(FinishedRun(out_, Video("a.mp4")).has_value());
}

TEST_F(RunFolderTest, ARunThatAnotherHasFinishedMeanwhileIsKept) {
  RunOf(Video("a.mp4"));
  const auto is_done = [&] { return FinishedRun(out_, Video("a.mp4")).has_value(); };
  EXPECT_EQ(RunFolder::OpenUnless(is_done, Plan(Video("a.mp4"))), nullptr);
  EXPECT_TRUE(is_done());
  EXPECT_FALSE(Has("out/unfinished.json"));
  const auto folder = RunFolder::OpenUnless([] { return false; }, Plan(Video("a.mp4")));
  ASSERT_NE(folder, nullptr);
  EXPECT_FALSE(Has("out/run.json"));
}

TEST_F(RunFolderTest, AFolderIsInUseWhileARunWritesToIt) {
  EXPECT_FALSE(IsInUse(out_));
  {
    const RunFolder run(Plan(Video("a.mp4")));
    EXPECT_TRUE(IsInUse(out_));
    EXPECT_THROW(RunFolder(Plan(Video("a.mp4"))), FolderInUse);
    EXPECT_THROW(CheckRunFolder(Plan(Video("b.mp4"))), FolderInUse);
  }
  EXPECT_FALSE(IsInUse(out_));  // what a killed run leaves is free
  EXPECT_TRUE(Has("out/unfinished.json"));
}

TEST_F(RunFolderTest, AFileThatWasEditedIsNotReplacedUnasked) {
  RunOf(Video("a.mp4"));
  Write("out/poses.csv", "edited");
  EXPECT_THAT(Refusal(Video("a.mp4")), HasSubstr("out/poses.csv: has changed since calfvo wrote it"));
  EXPECT_EQ(Refusal(Video("a.mp4"), /*overwrite=*/true), "no error");
}

// COLMAP's usual layout, beside what an earlier run wrote there.
TEST_F(RunFolderTest, OnlyFilesOfCalfvoAreRemovedFromSubfolders) {
  RunOf(Video("a.mp4"));
  Write("out/report/notes.txt");
  std::filesystem::create_directories(out_ / "colmap/images");
  Write("out/colmap/images/0.png");
  const RunFolder again(Plan(Video("a.mp4")));
  EXPECT_FALSE(Has("out/report/report.html"));
  EXPECT_TRUE(Has("out/report/notes.txt"));
  EXPECT_TRUE(Has("out/colmap/images/0.png"));
}

TEST_F(RunFolderTest, ARecordCannotNameFilesThatNoRunWrites) {
  Write("precious");
  Write("out/notes.txt");
  Write("out/unfinished.json", R"({"input": "x", "files": {"../precious": null, "notes.txt": null}})");
  const RunFolder run(Plan(Video("a.mp4"), /*overwrite=*/true));
  EXPECT_TRUE(Has("precious"));
  EXPECT_TRUE(Has("out/notes.txt"));
}

TEST_F(RunFolderTest, NeitherInputNorGroundTruthIsReplaced) {
  RunOf(Video("a.mp4"));
  RunPlan plan = Plan(Video("a.mp4"), /*overwrite=*/true);
  plan.ground_truth = out_ / "../out/poses.csv";
  EXPECT_THAT(ErrorFrom([&] { CheckRunFolder(plan); }), HasSubstr("would replace its own ground truth"));
  EXPECT_THAT(Refusal(Video("out/poses.csv"), /*overwrite=*/true), HasSubstr("would replace its own input"));
}

TEST_F(RunFolderTest, OneRunAtATime) {
  std::optional<RunFolder> first(Plan(Video("a.mp4")));
  EXPECT_THAT(ErrorFrom([&] { RunFolder(Plan(Video("a.mp4"), true)); }),
              HasSubstr("out: another calfvo process is writing to this folder"));
  first.reset();  // as if killed
  RunFolder second(Plan(Video("a.mp4")));
  second.Finish(RunJsonOf(Video("a.mp4"), second));
  EXPECT_FALSE(Has("out/unfinished.json"));
}

// Of many at once, one gets the folder.
TEST_F(RunFolderTest, ManyRunsAtOnce) {
  for (const bool after_a_kill : {false, true}) {
    if (after_a_kill) RunOf(Video("a.mp4"), /*whole=*/false);
    std::vector<std::optional<RunFolder>> runs(8);
    std::vector<std::thread> threads;
    for (auto& run : runs) {
      threads.emplace_back([&] { ErrorFrom([&] { run.emplace(Plan(Video("a.mp4"))); }); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run.has_value(); }), 1);
  }
}

TEST_F(RunFolderTest, CamerasAndPipesCannotBeReadAgain) {
  RunOf("-");
  EXPECT_THAT(Refusal("-"), HasSubstr("holds results of -, which cannot be read again"));
  EXPECT_EQ(Refusal("-", /*overwrite=*/true), "no error");
}

TEST_F(RunFolderTest, FilesThatNoRunLeftAreNeverRemoved) {
  for (const char* name : {"out/poses.csv", "out/unfinished.json"}) {
    Write(name);
    EXPECT_THAT(Refusal(Video("a.mp4"), /*overwrite=*/true),
                HasSubstr(std::string(name) + ": already exists and was not created by `calfvo run`"));
    std::filesystem::remove(folder_.path() / name);
  }
  std::filesystem::create_symlink("nowhere", out_ / "poses.csv");
  EXPECT_THAT(Refusal(Video("a.mp4")), HasSubstr("out/poses.csv: already exists"));
  std::filesystem::remove(out_ / "poses.csv");
  std::filesystem::create_symlink(folder_.path(), out_ / "report");
  EXPECT_THAT(Refusal(Video("a.mp4")), HasSubstr("out/report: already exists"));
  std::filesystem::remove(out_ / "report");
  for (const char* text : {"", "no JSON", "[1]", R"({"input": 1})"}) {
    Write("out/run.json", text);
    EXPECT_THAT(Refusal(Video("a.mp4"), true), HasSubstr("out/run.json: already exists and was not created"))
        << text;
  }
}

// What would take long to parse, or be too deep to copy.
TEST_F(RunFolderTest, MonstrousFilesAreRefused) {
  const std::string video = Video("a.mp4");
  const auto run_json = [&](const std::string& more) {
    return R"({"input": ")" + AbsoluteInput(video) + R"(", "files": {}, "interrupted": false)" + more + "}";
  };
  const auto keys = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += R"(, "key)" + std::to_string(i) + R"(": 1)";
    return text;
  };
  const auto nested = [](size_t depth) {
    return R"(, "a": )" + std::string(depth, '[') + std::string(depth, ']');
  };
  for (const std::string& most : {keys(9997), nested(15), R"(, "a": ")" + std::string(1 << 20, 'x') + '"'}) {
    Write("out/run.json", run_json(most));
    EXPECT_TRUE(FinishedRun(out_, video).has_value());
    EXPECT_EQ(Refusal(video), "no error");
  }
  const std::pair<std::string, std::string> monsters[] = {
      {keys(9998), "has over 10000 keys"},
      {keys(500'000), "has over 10000 keys"},
      {nested(16), "is nested over 16 deep"},
      {nested(1'000'000), "is nested over 16 deep"},
      {R"(, "a": ")" + std::string(16 << 20, 'x') + '"', "has over 16 MiB"}};
  for (const auto& [more, what] : monsters) {
    Write("out/run.json", run_json(more));
    EXPECT_FALSE(FinishedRun(out_, video).has_value());
    EXPECT_EQ(Refusal(video, /*overwrite=*/true),
              (out_ / "run.json").string() + ": " + what +
                  ", so it was not created by `calfvo run`; use another folder (-o), or move it away");
  }
}

// They would be among the images of the next run.
TEST_F(RunFolderTest, ImagesOfARunAreKeptApartFromThoseOfItsInput) {
  const std::string out = out_.string();
  for (const std::string& input : {out, out + "/", out + "/../out", out + "/*.png", out + "/p*.png",
                                   Video("*/uncertainty*"), out + "/*/*.png", out + "/../out/*.png"}) {
    EXPECT_THAT(Refusal(input, /*overwrite=*/true), HasSubstr("out: holds the images of " + input)) << input;
  }
  EXPECT_THAT(Refusal(out, /*overwrite=*/true), HasSubstr(".png as one of them"));
  for (const std::string& input :
       {out + "/img*.png", Video("*.png"), "dataset:" + out, folder_.path().string()}) {
    EXPECT_EQ(Refusal(input), "no error") << input;
  }
}

TEST_F(RunFolderTest, NamesThatAreNotUtf8AreDistinct) {
  for (const bool whole : {false, true}) {
    RunOf(Video("n\xff.mp4"), whole);
    EXPECT_EQ(Refusal(Video("n\xff.mp4")), "no error");
    EXPECT_THAT(Refusal(Video("n\xfe.mp4")), HasSubstr("holds results of"));
    EXPECT_EQ(FinishedRun(out_, Video("n\xff.mp4")).has_value(), whole);
    EXPECT_FALSE(FinishedRun(out_, Video("n\xfe.mp4")).has_value());
  }
}

TEST(DefaultRunFolder, IsNamedAfterTheInput) {
  const std::filesystem::path here = std::filesystem::current_path().filename();
  EXPECT_EQ(DefaultRunFolder("a/holiday.mp4"), "holiday-calfvo");
  EXPECT_EQ(DefaultRunFolder("a/frames/"), "frames-calfvo");
  EXPECT_EQ(DefaultRunFolder("dataset:"), "-calfvo");  // an error when it is opened
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
