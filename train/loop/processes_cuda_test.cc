// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <memory>

#include "calfvo/error.h"
#include "loop/processes.h"

namespace calfvo::train {
namespace {

// A group of one, as NCCL takes one process per GPU: this shows that NCCL starts and completes what it is
// given.
TEST(ProcessesOnGpus, SumThroughNccl) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  const torch::Device gpu(torch::kCUDA, 0);
  std::unique_ptr<Processes> group;
  try {
    group = std::make_unique<Processes>(ProcessPlace{.address = "127.0.0.1", .port = 0}, gpu);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();  // built without NCCL
  }
  Processes& alone = *group;
  const torch::Tensor tensor = torch::arange(1 << 20, torch::dtype(torch::kFloat32).device(gpu));
  const torch::Tensor before = tensor.clone();
  const auto first = alone.StartSum(tensor.narrow(0, 0, 1 << 19));
  const auto second = alone.StartSum(tensor.narrow(0, 1 << 19, 1 << 19));
  first();
  second();
  EXPECT_TRUE(torch::equal(tensor, before));
  double number = 3.0;
  int64_t votes = 2;
  alone.Agree(number, votes);
  EXPECT_EQ(number, 3.0);
  EXPECT_EQ(votes, 2);
}

}  // namespace
}  // namespace calfvo::train
