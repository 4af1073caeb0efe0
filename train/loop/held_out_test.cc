// SPDX-License-Identifier: Apache-2.0
#include "loop/held_out.h"

#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "data/dataset_stream.h"
#include "data/procedural_stream.h"
#include "loop/first_weights.h"
#include "loop/open_dataset.h"
#include "loop/test_config.h"
#include "loop/test_recording.h"
#include "loop/train_config.h"

namespace calfvo::train {
namespace {

TrainOptions OptionsWith(int windows, int batch) {
  std::vector<std::string> assignments = BlinkAssignments();
  assignments.insert(assignments.end(),
                     {"held_out.sets=['room/handheld']", "held_out.windows=" + std::to_string(windows),
                      "held_out.batch=" + std::to_string(batch)});
  return ReadTrainConfig(TinyConfigFile(), assignments).options;
}

HeldOut HeldOutOf(const TrainOptions& options) {
  return {options, torch::kCPU};
}

// Three windows in batches of two: the second one's first alone counts.
TEST(HeldOut, ScoresAsManyWindowsAsRequested) {
  const TrainOptions options = OptionsWith(3, 2);
  ProceduralOptions room = options.data.procedural;
  room.seed = options.held_out.seed;
  room.windows = 2;
  room.scene_weights = {};
  room.scene_weights[static_cast<size_t>(SceneKind::kRoom)] = 1.0F;
  MotionWeights handheld = {};
  handheld[static_cast<size_t>(motion::MotionKind::kHandheld)] = 1.0F;
  room.motion_weights.fill(handheld);
  room.recorded_probability = 0.0F;
  const auto stream = OpenProceduralStream(room, torch::kCPU);
  const torch::Tensor first = stream->At(0).translation.clone();
  const torch::Tensor three = torch::cat({first, stream->At(1).translation.narrow(0, 0, 1)});

  TrainNetwork network = MakeNetwork(options);
  const auto record = HeldOutOf(options).Evaluate(*network, [] { return false; });
  ASSERT_TRUE(record);
  EXPECT_NEAR(record->sets.at(0).scores.zero_t_rel, three.norm(2, -1).mean().item<double>(), 1e-6);
}

TEST(HeldOut, OtherNumbersOfWindowsAreNotCompared) {
  const std::string three = HeldOutOf(OptionsWith(3, 2)).Fingerprint();
  EXPECT_NE(three, HeldOutOf(OptionsWith(4, 2)).Fingerprint());
  EXPECT_EQ(three, HeldOutOf(OptionsWith(3, 2)).Fingerprint());
  // Fewer than a batch are one batch, however large it might be.
  EXPECT_EQ(HeldOutOf(OptionsWith(2, 2)).Fingerprint(), HeldOutOf(OptionsWith(2, 8)).Fingerprint());
}

// The windows are those that a stream over the same sequences gives, in batches of two: three of them count.
TEST(HeldOut, RecordedSequencesAreASet) {
  const TempFolder folder;
  WriteSequence(folder.path() / "a", 1);
  WriteSequence(folder.path() / "b", 2);
  const auto options_with = [&](const std::string& name, int max_stride) {
    TrainOptions options = OptionsWith(3, 2);
    options.held_out.datasets.push_back(
        {.path = folder.path() / name, .sampling = {.name = "mine", .max_stride = max_stride}});
    return options;
  };
  const TrainOptions options = options_with("a", 2);
  std::vector<Dataset> datasets;
  datasets.push_back(OpenDataset(options.held_out.datasets[0], false));
  const auto stream = OpenDatasetStream(
      std::move(datasets),
      {.seed = options.held_out.seed, .windows = 2, .frames = 3, .input = options.model.input}, torch::kCPU);
  const WindowBatch batch = stream->At(0);
  const torch::Tensor first = batch.translation.clone();
  const torch::Tensor three = torch::cat({first, stream->At(1).translation.narrow(0, 0, 1)});

  TrainNetwork network = MakeNetwork(options);
  HeldOut held_out(options, torch::kCPU);
  for (int evaluation = 0; evaluation < 2; ++evaluation) {  // the same every time
    const auto record = held_out.Evaluate(*network, [] { return false; });
    ASSERT_TRUE(record);
    ASSERT_EQ(record->sets.size(), 2U);
    EXPECT_EQ(record->sets[1].name, "mine");
    EXPECT_NEAR(record->sets[1].scores.zero_t_rel, three.norm(2, -1).mean().item<double>(), 1e-6);
    ASSERT_EQ(held_out.examples().size(), 4U);
    const HeldOutExample& example = held_out.examples()[3];
    EXPECT_EQ(example.set, "mine");
    EXPECT_TRUE(torch::equal(example.frames, batch.frames[1]));
    ASSERT_EQ(example.pairs.size(), 2U);
    EXPECT_NEAR(example.pairs[1].translation_truth.norm(), first[1][1].norm().item<double>(), 1e-6);
  }
  EXPECT_EQ(held_out.Fingerprint(), HeldOut(options, torch::kCPU).Fingerprint());
  EXPECT_NE(held_out.Fingerprint(), HeldOut(options_with("b", 2), torch::kCPU).Fingerprint());
  EXPECT_NE(held_out.Fingerprint(), HeldOut(options_with("a", 1), torch::kCPU).Fingerprint());
  EXPECT_NE(held_out.Fingerprint(), HeldOut(OptionsWith(3, 2), torch::kCPU).Fingerprint());
}

}  // namespace
}  // namespace calfvo::train
