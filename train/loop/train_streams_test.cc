// SPDX-License-Identifier: Apache-2.0
#include "loop/train_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/testing.h"
#include "clip/clip_folder.h"
#include "datasets/sequence.h"
#include "loop/test_config.h"
#include "loop/train_config.h"

namespace calfvo::train {
namespace {

using testing::HasSubstr;

void WriteSequence(const std::filesystem::path& folder, uint64_t seed) {
  ThreadPool threads(1);
  ClipOptions options;
  options.seed = seed;
  options.frames = 12;
  options.width = 48;
  options.height = 32;
  options.samples = 1;
  Clip clip(options, threads);
  PrepareClipFolder(folder, false);
  ClipFolder writer(folder, clip, {.video = false}, threads);
  while (auto frame = clip.Next()) writer.Add(*frame);
  writer.Finish();
}

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

TEST(TrainStream, SaysWhatIsMissing) {
  const TempFolder folder;
  Processes alone({}, torch::kCPU);
  const auto message = [&](const std::string& path) {
    const TrainOptions options = OptionsWith({"data.datasets=[{ path = '" + path + "' }]"});
    return ErrorFrom([&] { OpenTrainStream(options, alone, torch::kCPU); });
  };
  EXPECT_THAT(message("/none/there"), HasSubstr("/none/there"));
  EXPECT_THAT(message(folder.path().string()), HasSubstr(folder.path().string()));
}

}  // namespace
}  // namespace calfvo::train
