// SPDX-License-Identifier: Apache-2.0
#include "loop/token_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "loop/train_step.h"

namespace calfvo::train {
namespace {

using testing::HasSubstr;

constexpr int kImages = 12;

TrainNetwork FrozenNetwork(EncoderKind kind = EncoderKind::kCroco) {
  ModelConfig config = NamedConfig("calfvo-s");
  config.window = 3;
  config.input.size = 32;
  config.encoder.kind = kind;
  config.encoder.channels = {8, 8, 16, 32};
  config.encoder.dim = 32;
  config.encoder.depth = 1;
  config.encoder.heads = 2;
  config.encoder.hidden = 48;
  config.decoder = {DecoderKind::kTimeSpace, 32, 1, 2, 48, 1e-6};
  config.input.aspect = true;
  return TrainNetwork(config, NetworkOptions{.train_encoder = false, .seed = 4});
}

constexpr int64_t kFrameBytes = 4 * 32 * 4;  // tokens, dim, f32

// Windows of twelve images, from a place that depends on the step; the last one is of no known video.
WindowBatch BatchAt(int64_t step) {
  torch::manual_seed(1);
  const torch::Tensor images = torch::randint(256, {kImages, 32, 32, 3}, torch::kUInt8);
  torch::Tensor ids = torch::empty({4, 3}, torch::kInt64);
  for (int64_t w = 0; w < 4; ++w) {
    for (int64_t k = 0; k < 3; ++k) ids[w][k] = (5 * step + 3 * w + k) % kImages;
  }
  WindowBatch batch;
  batch.frames = images.index_select(0, ids.flatten()).unflatten(0, {4, 3});
  torch::manual_seed(static_cast<uint64_t>(step) + 10);
  batch.frames[3] = torch::randint(256, {3, 32, 32, 3}, torch::kUInt8);
  ids[3].fill_(-1);
  batch.log_aspect = torch::linspace(-1.0, 2.0, 4);
  batch.rotation = torch::eye(3).expand({4, 2, 3, 3}).contiguous();
  batch.translation = torch::full({4, 2, 3}, 0.05);
  batch.frame_ids = ids;
  return batch;
}

TEST(TokenCache, GivesTheEncodersTokensAndEncodesOnlyWhatIsNew) {
  for (const int64_t capacity : {1, 5, 100}) {
    SCOPED_TRACE(capacity);
    TrainNetwork network = FrozenNetwork();
    TokenCache cache(network, capacity * kFrameBytes);
    for (int64_t step = 0; step < 4; ++step) {
      const WindowBatch batch = BatchAt(step);
      const torch::Tensor expected = network->Encode(batch.frames);
      EXPECT_TRUE(torch::allclose(cache.Tokens(batch), expected, 1e-5, 1e-5)) << "step " << step;
    }
    const int64_t before = cache.frames_encoded();
    cache.Tokens(BatchAt(0));
    if (capacity == 100) {
      EXPECT_EQ(before, kImages + 4 * 3);             // each image once, and the last windows
      EXPECT_EQ(cache.frames_encoded() - before, 3);  // the last window alone
    } else {
      EXPECT_EQ(cache.frames_encoded() - before, 12 - capacity);  // the first ones are still there
    }
  }
}

TEST(TokenCache, LossesAreTheSameWithAndWithout) {
  const auto losses = [](int64_t bytes) {
    Processes alone({}, torch::kCPU);
    StepOptions options;
    options.token_cache_bytes = bytes;
    TrainStep step(FrozenNetwork(), options, alone);
    std::vector<double> values;
    for (int64_t i = 0; i < 12; ++i) {
      step.Take(BatchAt(i), i, 1e-3);
      values.push_back(step.ReadMeans().loss);
      step.ResetMeans();
    }
    return values;
  };
  const std::vector<double> without = losses(0);
  const std::vector<double> with = losses(100 * kFrameBytes);
  const std::vector<double> with_little = losses(4 * kFrameBytes);
  EXPECT_LT(without.back(), without.front());
  for (size_t i = 0; i < without.size(); ++i) {
    EXPECT_NEAR(with[i], without[i], 1e-5 * std::abs(without[i])) << "step " << i;
    EXPECT_NEAR(with_little[i], without[i], 1e-5 * std::abs(without[i])) << "step " << i;
  }
}

TEST(TokenCache, NamesWhatItCannotKeep) {
  EXPECT_THAT(ErrorFrom([] { TokenCache(FrozenNetwork(EncoderKind::kPair), 1 << 20); }),
              HasSubstr("the encoder sees pairs of frames"));
  EXPECT_THAT(ErrorFrom([] { TokenCache(FrozenNetwork(), kFrameBytes - 1); }),
              HasSubstr("holds 511 bytes; one frame's tokens take 512"));
}

}  // namespace
}  // namespace calfvo::train
