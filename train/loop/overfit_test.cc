// SPDX-License-Identifier: Apache-2.0
// A small network must be able to learn a few windows by heart: data, network, loss and optimiser together.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/procedural_stream.h"
#include "loop/first_weights.h"
#include "loop/held_out.h"
#include "loop/schedule.h"
#include "loop/test_config.h"
#include "loop/train_config.h"
#include "loop/train_step.h"

namespace calfvo::train {
namespace {

// Errors after so many steps, with these settings.
MotionScores Learned(int64_t steps, std::vector<std::string> settings) {
  settings.insert(settings.end(),
                  {"model.window=3", "loss.motion_weight=0", "schedule.learning_rate=2e-3",
                   "data.procedural.scenes={ room = 1 }", "schedule.steps=" + std::to_string(steps)});
  TrainOptions options = ReadTrainConfig(TinyConfigFile(), settings).options;
  options.data.procedural.windows = 16;
  const WindowBatch windows = OpenProceduralStream(options.data.procedural, torch::kCPU)->At(0);
  Processes alone({}, torch::kCPU);
  TrainStep step(MakeNetwork(options), {.loss = options.loss, .optimizer = options.optimizer}, alone);
  const Schedule schedule(options.schedule);
  for (int64_t i = 0; i < steps; ++i) step.Take(windows, i, schedule.LearningRate(i, 0.0));
  std::vector<ScoredPair> pairs;
  EstimatePairs(*step.network(), windows, options.loss, pairs);
  return ScoreMotions(pairs);
}

void ExpectLearnedByHeart(const MotionScores& scores) {
  EXPECT_LT(scores.r_rel, 0.1 * scores.zero_r_rel);
  EXPECT_LT(scores.t_rel, 0.25 * scores.zero_t_rel);
  EXPECT_GT(scores.cosine, 0.95);
}

TEST(Overfit, AdamWLearnsSixteenWindowsByHeart) {
  // Those of slower frame rates move further, and the loss lets go of what it finds hard: it needs longer.
  ExpectLearnedByHeart(Learned(220, {"data.procedural.min_rate_hz=10", "data.procedural.max_rate_hz=30"}));
}

TEST(Overfit, MuonLearnsSixteenWindowsByHeart) {
  ExpectLearnedByHeart(Learned(300, {"optimizer.kind=muon"}));
}

}  // namespace
}  // namespace calfvo::train
