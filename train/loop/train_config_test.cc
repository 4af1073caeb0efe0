// SPDX-License-Identifier: Apache-2.0
#include "loop/train_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"
#include "data/test_streams.h"
#include "loop/test_config.h"

namespace calfvo::train {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TrainOptions Shipped(const std::string& name) {
  return ReadTrainConfig(std::filesystem::path(CALFVO_TRAIN_CONFIGS) / (name + ".toml"), {}).options;
}

TEST(TrainConfig, ShippedOnesAreValidAndDescribed) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CALFVO_TRAIN_CONFIGS)) {
    EXPECT_NE(Shipped(entry.path().stem().string()).description, "") << entry.path();
    ++count;
  }
  EXPECT_GE(count, 9);
}

TEST(TrainConfig, PaperIsThePaper) {
  const TrainOptions paper = Shipped("paper");
  EXPECT_EQ(paper.model.encoder.kind, EncoderKind::kCroco);
  EXPECT_EQ(paper.model.encoder.depth, 24);
  EXPECT_EQ(paper.schedule.steps, 57'000);
  EXPECT_EQ(paper.schedule.warmup_steps, 1'900);
  EXPECT_DOUBLE_EQ(paper.schedule.learning_rate, 1e-4);
  EXPECT_DOUBLE_EQ(paper.schedule.final_learning_rate, 1e-5);
  EXPECT_TRUE(paper.loop.freeze_encoder);
  EXPECT_TRUE(paper.model.head.confidence);
  EXPECT_EQ(paper.data.procedural_share, 0.0);
  EXPECT_EQ(paper.optimizer.ema_decay, 0.0);
  EXPECT_EQ(paper.model.input.resize, ResizeRule::kCrop);
  const std::vector<StreamOptions> streams = PaperStreams();
  ASSERT_EQ(paper.data.datasets.size(), streams.size());
  for (size_t i = 0; i < streams.size(); ++i) {
    const StreamOptions& sampling = paper.data.datasets[i].sampling;
    EXPECT_DOUBLE_EQ(sampling.share, streams[i].share);
    EXPECT_EQ(sampling.min_stride, streams[i].min_stride);
    EXPECT_EQ(sampling.max_stride, streams[i].max_stride);
    EXPECT_EQ(sampling.max_step_m, streams[i].max_step_m);
  }
}

// Sixteen GPUs, and a number of windows of each that holds for any of them.
TEST(TrainConfig, ThePapersBatchIsPerProcess) {
  const TrainOptions paper = Shipped("paper");
  for (const int processes : {1, 3, 8, 16}) EXPECT_EQ(paper.loop.Windows(processes), 20 * processes);
  const auto read = [](const std::vector<std::string>& assignments) {
    return ReadTrainConfig(std::filesystem::path(CALFVO_TRAIN_CONFIGS) / "paper.toml", assignments).options;
  };
  EXPECT_THAT(ErrorFrom([&] { read({"loop.batch=32"}); }),
              HasSubstr("loop.batch: is 32, but loop.batch_per_process is 20; set one of them, or "
                        "loop.batch_per_process=0 to use loop.batch"));
  EXPECT_EQ(read({"loop.batch=32", "loop.batch_per_process=0"}).loop.Windows(8), 32);
  EXPECT_THAT(ErrorFrom([&] { read({"loop.batch_per_process=-1"}); }),
              HasSubstr("batch_per_process: is -1; expected 0 to 65536"));
}

TEST(TrainConfig, AblationsDifferInOneThing) {
  EXPECT_FALSE(Shipped("no-confidence").model.head.confidence);
  EXPECT_EQ(Shipped("full-attention").model.decoder.kind, DecoderKind::kFull);
  EXPECT_EQ(Shipped("gram-schmidt").model.head.rotation, RotationHead::kGramSchmidt);
  EXPECT_EQ(Shipped("quaternion").model.head.rotation, RotationHead::kQuaternion);
  EXPECT_EQ(Shipped("euler").model.head.rotation, RotationHead::kEuler);
  EXPECT_EQ(Shipped("dinov2").model.encoder.kind, EncoderKind::kDinov2);
  EXPECT_EQ(Shipped("dinov3").model.encoder.kind, EncoderKind::kDinov3);
}

TEST(TrainConfig, SquashDiffersInTheImagesAlone) {
  TrainOptions squash = Shipped("paper-squash");
  const TrainOptions paper = Shipped("paper");
  EXPECT_EQ(squash.model.input.resize, ResizeRule::kSquash);
  squash.model.input.resize = paper.model.input.resize;
  squash.model.training = paper.model.training;
  EXPECT_EQ(ModelConfigJson(squash.model), ModelConfigJson(paper.model));
  EXPECT_EQ(squash.loop.Windows(16), paper.loop.Windows(16));
  EXPECT_EQ(squash.schedule.steps, paper.schedule.steps);
}

TEST(TrainConfig, VggtOmegaIsADinov3OfItsOwn) {
  TrainOptions omega = Shipped("dinov3-vggt-omega");
  const TrainOptions dinov3 = Shipped("dinov3");
  EXPECT_EQ(omega.model.input.filter, ResizeFilter::kBicubic);
  EXPECT_NE(omega.loop.init_encoder, dinov3.loop.init_encoder);
  omega.model.input.filter = dinov3.model.input.filter;
  omega.model.training = dinov3.model.training;
  EXPECT_EQ(ModelConfigJson(omega.model), ModelConfigJson(dinov3.model));
}

TEST(TrainConfig, AblationsTakeTheStepsThatThePaperGivesThem) {
  const TrainOptions paper = Shipped("paper");
  for (const char* name : {"ablation", "no-confidence", "full-attention", "gram-schmidt", "quaternion",
                           "euler", "dinov2", "dinov3", "dinov3-vggt-omega"}) {
    const TrainOptions ablation = Shipped(name);
    EXPECT_EQ(ablation.schedule.steps, 11'400) << name;
    EXPECT_EQ(ablation.schedule.warmup_steps, paper.schedule.warmup_steps) << name;
    EXPECT_EQ(ablation.loop.batch_per_process, paper.loop.batch_per_process) << name;
    EXPECT_EQ(ablation.data.datasets.size(), paper.data.datasets.size()) << name;
  }
}

TEST(TrainConfig, TheShippedModelTakesTheAspect) {
  EXPECT_TRUE(Shipped("calfvo-s").model.input.aspect);
  EXPECT_EQ(Shipped("calfvo-s").model.input.size, NamedConfig("calfvo-s").input.size);
  EXPECT_TRUE(Shipped("calfvo-s-continued").model.input.aspect);
  EXPECT_FALSE(Shipped("paper").model.input.aspect);
}

TEST(TrainConfig, PlainImagesKeepThreeEffects) {
  const TrainOptions plain = Shipped("calfvo-s-plain");
  const EffectsOptions& effects = plain.data.procedural.effects;
  EXPECT_EQ(effects.jpeg_probability, 0.0);
  EXPECT_EQ(effects.motion_blur_probability, 0.0);
  EXPECT_EQ(effects.sharpness_probability, 0.0);
  EXPECT_GT(effects.exposure_probability, 0.0);
  EXPECT_GT(effects.noise_probability, 0.0);
  EXPECT_GT(effects.grey_probability, 0.0);
  EXPECT_EQ(plain.loop.batch, Shipped("calfvo-s").loop.batch);
}

TEST(TrainConfig, AssignmentsWin) {
  const TrainConfig config = ReadTrainConfig(
      TinyConfigFile(), {"loop.batch=3", "model.encoder.channels=[8, 16, 24, 64]", "loop.init=a.safetensors",
                         "data.procedural.scenes={ hall = 1 }", "held_out.sets=[\"hall/walking\"]"});
  EXPECT_EQ(config.options.loop.batch, 3);
  EXPECT_EQ(config.options.model.encoder.channels[0], 8);
  EXPECT_EQ(config.options.loop.init, "a.safetensors");
  EXPECT_EQ(config.options.held_out.sets.at(0).Name(), "hall/walking");
  EXPECT_EQ(config.options.data.procedural.frames, 4);
  EXPECT_EQ(config.options.data.procedural.size, 64);
}

TEST(TrainConfig, RefusesWithFileLineAndKey) {
  const TempFolder folder;
  const std::string file = (folder.path() / "x.toml").string();
  const auto message = [&](const std::string& text) {
    WriteFileAtomically(file, text);
    const std::string error = ErrorFrom([&] { ReadTrainConfig(file, {}); });
    EXPECT_THAT(error, StartsWith(file)) << text;
    return error;
  };
  EXPECT_THAT(message("[loop]\n"), HasSubstr("the table [model] is missing"));
  EXPECT_THAT(message("[model]\nbase = \"calfvo-xl\"\n"),
              HasSubstr(":2: model.base: unknown model 'calfvo-xl'"));
  EXPECT_THAT(
      message("[model]\n[loop]\nbatchs = 1\n"),
      HasSubstr(":3: loop.batchs: unknown key; did you mean 'batch'? known are batch, batch_per_process,"));
  EXPECT_THAT(message("[model]\n[model.decoder]\nkind = \"fulll\"\n"),
              HasSubstr(":3: model.decoder.kind: is 'fulll'; expected one of time_space, full"));
  EXPECT_THAT(message("[model]\n[model.encoder]\ndim = 100\n"), HasSubstr(": model"));
  EXPECT_THAT(message("[model]\n[model.decoder]\ndim = 16384\ndepth = 256\n"),
              HasSubstr(":2: model.decoder: has 627154616418 parameters"));
  EXPECT_THAT(message("[model]\ninput = { resize = \"crop\", aspect = true }\n"),
              HasSubstr(": model.input.aspect: is true, but input.resize is not squash"));
  EXPECT_THAT(message("[model]\n[schedule]\n\nsteps = 0\n"),
              HasSubstr(":4: schedule.steps: is 0; expected 1 to"));
  EXPECT_THAT(message("[model]\n[schedule]\nlearning_rate = \"fast\"\n"),
              EndsWith(":3: schedule.learning_rate: is a string; expected a number"));
  EXPECT_THAT(message("[model]\n[loop]\nfreeze_encoder = true\n"),
              HasSubstr(":3: loop.freeze_encoder: is true, but neither init_encoder nor init is set"));
  EXPECT_THAT(message("[model]\n[loop]\ncache_tokens_gb = 2\n"),
              HasSubstr(":3: loop.cache_tokens_gb: is 2, but the encoder is trained"));
  EXPECT_THAT(message("[model]\n[loop]\nseed = -1\n"), HasSubstr(":3: loop.seed: is -1; expected 0 or more"));
  EXPECT_THAT(message("[model]\n[held_out]\nsets = [\"room\"]\n"),
              HasSubstr(":3: held_out.sets: 'room' is not of the form scene/motion"));
  EXPECT_THAT(message("[model]\n[held_out]\nsets = [\"room/swim\"]\n"),
              HasSubstr("'room/swim': unknown motion"));
  EXPECT_THAT(message("[model]\n[data]\n[data.procedural.scenes]\ncastle = 1\n"),
              HasSubstr(":4: data.procedural.scenes.castle: unknown key"));
  EXPECT_THAT(message("[model]\n[data]\nthreads = -5\n"),
              HasSubstr(":3: data.threads: is -5; expected 0 to 1024"));
  EXPECT_THAT(message("[model]\n[data]\nbatches = 0\n"),
              HasSubstr(":3: data.batches: is 0; expected 1 to 64"));
  EXPECT_THAT(message("[model]\n[[data.datasets]]\nname = \"a\"\n"),
              HasSubstr("data.datasets[0]: has no path"));
  EXPECT_THAT(message("[model]\n[[data.datasets]]\npath = \"a\"\nmin_stride = 0\n"),
              HasSubstr(": data.datasets[0]: "));
  EXPECT_THAT(message("[model]\n[optimizer]\nbeta2 = 1.0\n"),
              HasSubstr(":3: optimizer.beta2: is 1; expected 0 to"));
  EXPECT_EQ(ErrorFrom([&] { ReadTrainConfig(TinyConfigFile(), {"loop.batch=0"}); }),
            "loop.batch=0:1: loop.batch: is 0; expected 1 to 65536");
}

}  // namespace
}  // namespace calfvo::train
