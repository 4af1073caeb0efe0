// SPDX-License-Identifier: Apache-2.0
#include "loop/train_streams.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/log.h"
#include "core/base/testing.h"
#include "io/datasets/sequence.h"
#include "loop/test_config.h"
#include "loop/test_recording.h"
#include "loop/train_config.h"

namespace calfvo::train {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

TrainOptions OptionsWith(const std::vector<std::string>& more) {
  std::vector<std::string> assignments = BlinkAssignments();
  assignments.insert(assignments.end(), more.begin(), more.end());
  return ReadTrainConfig(TinyConfigFile(), assignments).options;
}

TEST(TrainStream, SharesSetTheMixture) {
  const TempFolder folder;
  WriteSequence(folder.path() / "set/a", 1);
  WriteSequence(folder.path() / "set/deeper/b", 2);
  const TrainOptions options = OptionsWith(
      {"data.datasets=[{ path = '" + (folder.path() / "set").string() + "', share = 3, max_stride = 2 }]"});
  Processes alone({}, torch::kCPU);
  const auto stream = OpenTrainStream(options, alone, torch::kCPU);
  const WindowBatch batch = stream->At(0);
  EXPECT_EQ(batch.frames.sizes(), torch::IntArrayRef({4, 3, 32, 32, 3}));
  EXPECT_EQ(batch.rotation.sizes(), torch::IntArrayRef({4, 2, 3, 3}));
  // One window in four is procedural, and knows its image motion.
  EXPECT_FALSE(torch::isnan(batch.motion[0][1]).all().item<bool>());
  EXPECT_TRUE(torch::isnan(batch.motion.narrow(0, 1, 3)).all().item<bool>());
}

// Of a long recording little may be left, and of a list much may be missing.
TEST(TrainStream, ReportsMissingSequences) {
  const TempFolder folder;
  WriteSequence(folder.path() / "set/a", 1);
  WriteSequence(folder.path() / "set/b", 2);
  // Without the sixth pose.
  const std::filesystem::path truth = folder.path() / "set/b/groundtruth.txt";
  std::ifstream lines(truth);
  std::string kept;
  int poses = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#') && ++poses == 6) continue;
    kept += line + "\n";
  }
  lines.close();
  std::ofstream(truth) << kept;
  std::ofstream(folder.path() / "split.txt") << "tum-layout a\ntum-layout b\ntum-layout c\n";
  const TrainOptions options = OptionsWith(
      {"data.procedural.share=0", "data.datasets=[{ path = '" + (folder.path() / "set").string() +
                                      "', split = '" + (folder.path() / "split.txt").string() + "' }]"});
  Processes alone({}, torch::kCPU);
  testing::internal::CaptureStderr();
  SetLogLevel(LogLevel::kInfo);
  OpenTrainStream(options, alone, torch::kCPU);
  SetLogLevel(LogLevel::kWarning);
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_THAT(output, HasSubstr("1 of its sequences were not found in"));
  EXPECT_THAT(output, HasSubstr("the first is c"));
  EXPECT_THAT(output, HasSubstr("set: 2 sequences, 17 of their 24 frames can be used"));

  // As a split may ask: sequence b is left out.
  std::ofstream(folder.path() / "split.txt", std::ios::app) << "tum-layout @invalid-poses drop\n";
  testing::internal::CaptureStderr();
  SetLogLevel(LogLevel::kInfo);
  OpenTrainStream(options, alone, torch::kCPU);
  SetLogLevel(LogLevel::kWarning);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("set: 1 sequences dropped for invalid poses"));
}

struct Kinds {
  std::vector<torch::Tensor> procedural, recorded;  // images, window by window
};

// Adds what a process sees; procedural windows know their image motion.
void AddWindows(const WindowBatch& batch, Kinds& kinds) {
  for (int64_t i = 0; i < batch.frames.size(0); ++i) {
    const bool knows_motion = batch.motion.defined() && !torch::isnan(batch.motion[i][1]).all().item<bool>();
    (knows_motion ? kinds.procedural : kinds.recorded).push_back(batch.frames[i]);
  }
}

TEST(TrainStream, ProcessesSeeTogetherTheMixtureThatOneSees) {
  const TempFolder folder;
  WriteSequence(folder.path() / "set/a", 1);
  const std::string dataset = "data.datasets=[{ path = '" + (folder.path() / "set").string() + "' }]";
  const auto windows = [&](const std::string& share, int count) {
    const TrainOptions options = OptionsWith({"loop.batch=8", "data.procedural.share=" + share, dataset});
    Kinds kinds;
    for (int rank = 0; rank < count; ++rank) {
      Processes processes({.rank = rank, .size = count}, torch::kCPU);
      const WindowBatch batch = OpenTrainStream(options, processes, torch::kCPU)->At(3);
      EXPECT_EQ(batch.frames.size(0), 8 / count);
      AddWindows(batch, kinds);
    }
    return kinds;
  };
  const std::pair<const char*, size_t> cases[] = {{"0.4286", 2}, {"0.6", 3}, {"6.9", 7}};  // 30, 37.5, 87 %
  for (const auto& [share, procedural] : cases) {
    const Kinds one = windows(share, 1);
    ASSERT_EQ(one.procedural.size(), procedural);
    for (const int count : {2, 4, 8}) {
      SCOPED_TRACE(fmt::format("share {}, {} processes", share, count));
      const Kinds several = windows(share, count);
      ASSERT_EQ(several.procedural.size(), one.procedural.size());
      ASSERT_EQ(several.recorded.size(), one.recorded.size());
      EXPECT_TRUE(torch::equal(torch::stack(several.procedural), torch::stack(one.procedural)));
      EXPECT_TRUE(torch::equal(torch::stack(several.recorded), torch::stack(one.recorded)));
    }
  }
}

TEST(TrainStream, BatchesPerProcessAddUp) {
  const TempFolder folder;
  WriteSequence(folder.path() / "set/a", 1);
  const std::string dataset =
      "data.datasets=[{ path = '" + (folder.path() / "set").string() + "', share = 3 }]";
  const auto windows = [&](int per_process, int count) {
    TrainOptions options = OptionsWith({dataset});
    options.loop.batch = per_process > 0 ? 1 : 8;
    options.loop.batch_per_process = per_process;
    Kinds kinds;
    for (int rank = 0; rank < count; ++rank) {
      Processes processes({.rank = rank, .size = count}, torch::kCPU);
      AddWindows(OpenTrainStream(options, processes, torch::kCPU)->At(1), kinds);
    }
    return kinds;
  };
  const Kinds expected = windows(0, 1);
  for (const int count : {1, 2, 4}) {
    const Kinds kinds = windows(8 / count, count);
    EXPECT_TRUE(torch::equal(torch::stack(kinds.recorded), torch::stack(expected.recorded))) << count;
    EXPECT_TRUE(torch::equal(torch::stack(kinds.procedural), torch::stack(expected.procedural))) << count;
  }
}

TEST(TrainStream, UnevenBatchesNameTheWayOut) {
  LoopOptions loop{.batch = 20};
  EXPECT_EQ(ErrorFrom([&] { loop.Windows(8); }),
            "loop.batch is 20, which 8 processes cannot share evenly; set a multiple of 8, or "
            "loop.batch_per_process in its place");
  loop.batch_per_process = 20;
  EXPECT_EQ(loop.Windows(8), 160);
  EXPECT_EQ(loop.Windows(16), 320);
}

TEST(TrainStream, RefusesSharesBelowOneWindow) {
  const TempFolder folder;
  WriteSequence(folder.path() / "set/a", 1);
  Processes alone({}, torch::kCPU);
  const auto message = [&](int batch, const std::string& share) {
    const TrainOptions options =
        OptionsWith({fmt::format("loop.batch={}", batch), "data.procedural.share=" + share,
                     "data.datasets=[{ path = '" + (folder.path() / "set").string() + "', share = 98 }]"});
    return ErrorFrom([&] { OpenTrainStream(options, alone, torch::kCPU); });
  };
  EXPECT_EQ(
      message(20, "2"),
      "data: procedural video has 2 % of the shares, less than one window of the 20 of a step; make the "
      "batch 50 or more, or the share larger or 0");
  EXPECT_EQ(message(50, "2"), "no error");
  EXPECT_EQ(message(20, "0"), "no error");
  EXPECT_EQ(message(20, "4802"),
            "data: recorded video has 2 % of the shares, less than one window of the 20 of a step; make the "
            "batch 50 or more, or the share larger or 0");
}

TEST(TrainStream, EveryProceduralWindowCountsTheSame) {
  const TrainOptions options =
      OptionsWith({"loop.batch=8", "data.procedural.share=3", "data.datasets=[{ path = 'x', share = 5 }]"});
  const auto weights = [&](int count) {
    std::vector<double> result;
    for (int rank = 0; rank < count; ++rank) {
      const Processes processes({.rank = rank, .size = count}, torch::kCPU);
      result.push_back(ProceduralWeight(options, processes));
    }
    return result;
  };
  EXPECT_THAT(weights(1), ElementsAre(1.0));
  // Two windows and one; then three processes with one and one with none.
  EXPECT_THAT(weights(2), ElementsAre(DoubleEq(4.0 / 3.0), DoubleEq(2.0 / 3.0)));
  EXPECT_THAT(weights(4), ElementsAre(DoubleEq(4.0 / 3.0), DoubleEq(4.0 / 3.0), DoubleEq(4.0 / 3.0), 0.0));
}

TEST(TrainStream, ASplitChoosesAmongSequences) {
  const TempFolder folder;
  WriteSequence(folder.path() / "set/a", 1);
  WriteSequence(folder.path() / "set/b", 2);
  const std::string set = (folder.path() / "set").string();
  const auto kind = FindSequences(set)[0].kind;
  for (const std::string name : {"a", "b", "c"})
    std::ofstream(folder.path() / name) << kind << " " << name << "\n";
  Processes alone({}, torch::kCPU);
  const auto frames = [&](const std::string& split) {
    const TrainOptions options =
        OptionsWith({"data.procedural.share=0", "data.datasets=[{ path = '" + set + "', split = '" +
                                                    (folder.path() / split).string() + "' }]"});
    return OpenTrainStream(options, alone, torch::kCPU)->At(0).frames;
  };
  EXPECT_FALSE(torch::equal(frames("a"), frames("b")));
  EXPECT_THAT(ErrorFrom([&] { frames("c"); }), HasSubstr("none of the sequences of"));
}

TEST(TrainStream, NamesWhatIsMissing) {
  const TempFolder folder;
  Processes alone({}, torch::kCPU);
  const auto message = [&](const std::string& path) {
    const TrainOptions options = OptionsWith({"data.datasets=[{ path = '" + path + "' }]"});
    return ErrorFrom([&] { OpenTrainStream(options, alone, torch::kCPU); });
  };
  EXPECT_THAT(message("/none/there"), HasSubstr("/none/there"));
  EXPECT_THAT(message(folder.path().string()), HasSubstr(folder.path().string()));
  WriteSequence(folder.path() / "set/a", 1);
  std::filesystem::remove(folder.path() / "set/a/groundtruth.txt");
  EXPECT_THAT(message((folder.path() / "set").string()),
              HasSubstr((folder.path() / "set/a").string() +
                        ": a: none of its 12 frames has a pose; the dataset's split can leave it out, with "
                        "'tum-layout *' and '!tum-layout a'"));
}

}  // namespace
}  // namespace calfvo::train
