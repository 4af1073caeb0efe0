// SPDX-License-Identifier: Apache-2.0
#include <ATen/cuda/CUDAContext.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/portable/random.h"
#include "data/procedural_stream.h"
#include "data/test_aspect.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

ProceduralOptions SmallOptions() {
  ProceduralOptions options;
  options.windows = 8;
  options.frames = 4;
  options.size = 64;
  return options;
}

class CudaProceduralStream : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  }
};

WindowBatch Copy(const WindowBatch& batch) {
  return {batch.frames.clone(),   batch.before.clone(),      batch.log_aspect.clone(),
          batch.rotation.clone(), batch.translation.clone(), batch.motion.clone()};
}

bool Equal(const WindowBatch& a, const WindowBatch& b) {
  return torch::equal(a.frames, b.frames) && torch::equal(a.before, b.before) &&
         torch::equal(a.log_aspect, b.log_aspect) && torch::equal(a.rotation, b.rotation) &&
         torch::equal(a.translation, b.translation) &&
         torch::equal(a.motion.nan_to_num(1e9), b.motion.nan_to_num(1e9));
}

TEST_F(CudaProceduralStream, GivesWhatTheContractSays) {
  const auto stream = OpenProceduralStream(SmallOptions(), torch::kCUDA);
  const WindowBatch batch = stream->At(0);
  EXPECT_TRUE(batch.frames.is_cuda());
  EXPECT_EQ(batch.frames.sizes(), (torch::IntArrayRef{8, 4, 64, 64, 3}));
  EXPECT_EQ(batch.motion.sizes(), (torch::IntArrayRef{8, 4, 8, 8, 2}));
  const Tensor rotation = batch.rotation.cpu();
  const Tensor products = torch::matmul(rotation.transpose(-2, -1), rotation);
  EXPECT_TRUE(torch::allclose(products, torch::eye(3).expand_as(products), 0.0, 1e-5));
  EXPECT_EQ(batch.before.sizes(), (torch::IntArrayRef{8, 64, 64, 3}));
  EXPECT_TRUE(torch::equal(batch.before[0], batch.frames[0][0]));
  EXPECT_FALSE(torch::equal(batch.before[1], batch.frames[1][0]));
  EXPECT_EQ(batch.motion[0][0].abs().max().item<float>(), 0.0F);
  EXPECT_GT(batch.frames.to(torch::kFloat).std().item<double>(), 10.0);
  EXPECT_TRUE(torch::isfinite(batch.translation).all().item<bool>());
}

TEST_F(CudaProceduralStream, KnowsTheShapeOfWhatItsSensorsKeep) {
  ProceduralOptions options = SmallOptions();
  options.sensor.crop_probability = 0.5F;
  const Tensor log_aspect = OpenProceduralStream(options, torch::kCUDA)->At(3).log_aspect.cpu();
  ASSERT_EQ(log_aspect.sizes(), (torch::IntArrayRef{8}));
  const uint64_t seed = BatchSeed(options.seed + portable::Mix(0), 3);
  for (int w = 0; w < 8; ++w) {
    EXPECT_NEAR(log_aspect[w].item<float>(), LogAspectOf(options, seed, w), 1e-5);
  }
}

TEST_F(CudaProceduralStream, KeepsABatchWhileTheNextIsRendered) {
  const auto stream = OpenProceduralStream(SmallOptions(), torch::kCUDA);
  for (int64_t step = 0; step < 6; ++step) {
    const WindowBatch batch = stream->At(step);
    const Tensor busy = torch::randn({2048, 2048}, torch::kCUDA);
    for (int i = 0; i < 20; ++i) torch::matmul(busy, busy);  // the copy is queued behind this
    const WindowBatch copy = Copy(batch);
    EXPECT_TRUE(Equal(copy, Copy(OpenProceduralStream(SmallOptions(), torch::kCUDA)->At(step)))) << step;
  }
}

}  // namespace
}  // namespace calfvo::train
