// SPDX-License-Identifier: Apache-2.0
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "loss/pose_loss.h"
#include "loss/procrustes.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

class CudaLoss : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
    torch::manual_seed(1);
    batch_.rotation = NearestRotations(torch::randn({6, 7, 3, 3}));
    batch_.translation = torch::randn({6, 7, 3});
    batch_.motion = torch::randn({6, 8, 4, 4, 2}).masked_fill(torch::rand({6, 8, 4, 4, 2}) < 0.3, NAN);
    values_ = torch::randn({6, 7, head_.values_per_pair()});
    motion_ = torch::randn({6, 8, 4, 4, 2});
    options_.motion_weight = 20.0;
  }
  WindowBatch OnGpu() const {
    return {.rotation = batch_.rotation.cuda(),
            .translation = batch_.translation.cuda(),
            .motion = batch_.motion.cuda()};
  }

  HeadConfig head_;
  LossOptions options_;
  WindowBatch batch_;
  Tensor values_, motion_;
};

TEST_F(CudaLoss, IsThatOfTheCpuAlsoOutOfACapturedGraph) {
  const Tensor values = values_.clone().requires_grad_(true);
  const LossTerms expected = PoseLoss(values, motion_, batch_, head_, options_);
  expected.total.backward();

  const WindowBatch batch = OnGpu();
  const Tensor motion = motion_.cuda();
  const Tensor input = values_.cuda().requires_grad_(true);
  input.mutable_grad() = torch::zeros_like(input);
  LossTerms terms;
  const auto step = [&] {
    input.mutable_grad().zero_();
    terms = PoseLoss(input, motion, batch, head_, options_);
    terms.total.backward();
  };
  const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(side);
  torch::cuda::synchronize();
  step();  // warms up
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  step();
  graph.capture_end();
  input.mutable_grad().fill_(NAN);
  graph.replay();
  torch::cuda::synchronize();

  EXPECT_NEAR(terms.total.item<float>(), expected.total.item<float>(), 1e-3);
  EXPECT_NEAR(terms.rotation_deg.item<float>(), expected.rotation_deg.item<float>(), 1e-3);
  EXPECT_NEAR(terms.translation_m.item<float>(), expected.translation_m.item<float>(), 1e-5);
  EXPECT_NEAR(terms.motion.item<float>(), expected.motion.item<float>(), 1e-5);
  EXPECT_TRUE(torch::allclose(input.grad().cpu(), values.grad(), 1e-4, 1e-4));
}

}  // namespace
}  // namespace calfvo::train
