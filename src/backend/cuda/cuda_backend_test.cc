// SPDX-License-Identifier: Apache-2.0
// The operations on the GPU against `ref`. Skipped where there is no GPU.
#include "backend/cuda/cuda_backend.h"

#include <gtest/gtest.h>

#include <cstring>

#include "backend/op_cases.h"
#include "backend/ref/ref_backend.h"

namespace calfvo {
namespace {

class CudaConformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string problem = CudaProblem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(CudaConformance, AgreesWithRefAndRepeatsItself) {
  const auto ref = MakeRefBackend(0);
  const auto backend = MakeCudaBackend(false);
  for (const OpCase& op : OpCases(GetParam())) {
    const auto oracle = op.prepare(*ref);
    oracle->Run();
    const std::vector<float> expected = oracle->Output();
    const auto prepared = op.prepare(*backend);
    prepared->Run();
    const std::vector<float> ours = prepared->Output();
    EXPECT_LE(RelativeError(ours, expected), op.bound_bf16) << op.name;
    const auto once_more = op.prepare(*backend);
    once_more->Run();
    EXPECT_EQ(std::memcmp(once_more->Output().data(), ours.data(), ours.size() * sizeof(float)), 0)
        << op.name << " differs from run to run";
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, CudaConformance, testing::Values("odd", "calfvo-s", "calfvo-l"),
                         [](const auto& test) {
                           return test.param == "odd"
                                      ? std::string("odd")
                                      : std::string(test.param == "calfvo-s" ? "small" : "large");
                         });

}  // namespace
}  // namespace calfvo
