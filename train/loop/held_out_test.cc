// SPDX-License-Identifier: Apache-2.0
#include "loop/held_out.h"

#include <gtest/gtest.h>

#include "data/procedural_stream.h"
#include "loop/first_weights.h"
#include "loop/test_config.h"
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
  return {options.held_out, options.data.procedural, options.loss, torch::kCPU};
}

// Three windows in batches of two: the second one's first alone counts.
TEST(HeldOut, ScoresAsManyWindowsAsItIsTold) {
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

}  // namespace
}  // namespace calfvo::train
