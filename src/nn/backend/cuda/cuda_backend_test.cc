// SPDX-License-Identifier: Apache-2.0
// The operations on the GPU against `ref`. Skipped without a GPU.
#include "nn/backend/cuda/cuda_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "nn/backend/op_cases.h"
#include "nn/backend/ref/ref_backend.h"

namespace calfvo {
namespace {

// A list of cases, and whether its products, which are cuBLASLt's kernels, or what is computed by ours: tools
// that look into kernels may not get through the library's.
class CudaConformance : public testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  void SetUp() override {
    if (const std::string problem = CudaProblem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(CudaConformance, AgreesWithRefAndRepeatsItself) {
  const auto [list, products] = GetParam();
  const auto ref = MakeRefBackend(0);
  const auto backend = MakeCudaBackend(false);
  int cases = 0;
  for (const OpCase& op : OpCases(list)) {
    if (op.name.starts_with("linear") != products) continue;
    ++cases;
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
  EXPECT_GE(cases, 4);
}

INSTANTIATE_TEST_SUITE_P(Ops, CudaConformance,
                         testing::Combine(testing::Values("odd", "calfvo-s", "calfvo-l"), testing::Bool()),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + (std::get<1>(test.param) ? "_products" : "_others");
                         });

std::vector<float> Noise(int64_t count, float size, uint32_t seed) {
  std::minstd_rand generator(seed);
  std::uniform_real_distribution<float> distribution(-size, size);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = distribution(generator);
  return values;
}

template <Role role>
struct Matrix {
  Matrix(Backend& backend, int64_t rows, int64_t cols, uint32_t seed) {
    const size_t element_size = backend.ElementSize(role);
    buffer = backend.Allocate(static_cast<size_t>(rows * cols) * element_size);
    view = {buffer->data(), rows, cols, element_size};
    backend.Upload(Noise(rows * cols, 1.0F, seed), view);
  }
  std::unique_ptr<Buffer> buffer;
  MatrixView<role> view;
};

// Runs multiply(x, weights, out) on 48 frames of 196 rows at once and one by one.
template <Role role, typename Multiply>
void ExpectSameTogetherAndApart(Backend& backend, int64_t inputs, int64_t outputs, const Multiply& multiply) {
  constexpr int64_t kFrames = 48, kRows = 196;
  SCOPED_TRACE(testing::Message() << inputs << " to " << outputs);
  const std::vector<float> weight = Noise(inputs * outputs, std::sqrt(3.0F / static_cast<float>(inputs)), 1);
  const std::vector<float> bias = Noise(outputs, 1.0F, 2);
  const auto weights = backend.MakeLinear({weight.data(), DType::kF32, {outputs, inputs}},
                                          {bias.data(), DType::kF32, {outputs}});
  const Matrix<Role::kActivation> x(backend, kFrames * kRows, inputs, 3);
  const Matrix<role> together(backend, kFrames * kRows, outputs, 4),
      apart(backend, kFrames * kRows, outputs, 4);
  multiply(x.view, *weights, together.view);
  for (int64_t i = 0; i < kFrames; ++i) {
    multiply(x.view.Rows(i * kRows, kRows), *weights, apart.view.Rows(i * kRows, kRows));
  }
  backend.Synchronize();
  std::vector<float> expected(static_cast<size_t>(kFrames * kRows * outputs)), ours(expected.size());
  backend.Download(apart.view, expected);
  backend.Download(together.view, ours);
  EXPECT_EQ(std::memcmp(ours.data(), expected.data(), ours.size() * sizeof(float)), 0)
      << "they differ by " << RelativeError(ours, expected);
}

TEST(CudaBackend, ProductsOfAWideModelGiveTheSameBitsForOneFrameAndForMany) {
  if (const std::string problem = CudaProblem(); !problem.empty()) GTEST_SKIP() << problem;
  const auto backend = MakeCudaBackend(false);
  const auto multiply = [&](bool gelu) {
    return [&backend, gelu](const Activation& x, const LinearWeights& weights, const Activation& out) {
      backend->Linear(x, weights, gelu, out);
    };
  };
  const auto add = [&](const Activation& x, const LinearWeights& weights, const Stream& out) {
    backend->LinearToStream(x, weights, /*accumulate=*/true, out);
  };
  ExpectSameTogetherAndApart<Role::kActivation>(*backend, 1024, 3072, multiply(/*gelu=*/false));
  ExpectSameTogetherAndApart<Role::kActivation>(*backend, 1024, 4096, multiply(/*gelu=*/true));
  ExpectSameTogetherAndApart<Role::kStream>(*backend, 1024, 1024, add);
  ExpectSameTogetherAndApart<Role::kStream>(*backend, 4096, 1024, add);
}

}  // namespace
}  // namespace calfvo
