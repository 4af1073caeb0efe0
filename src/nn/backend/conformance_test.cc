// SPDX-License-Identifier: Apache-2.0
// All TestedKernels against `ref`, operation by operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "nn/backend/cpu/cpu_backend.h"
#include "nn/backend/cpu/tested_kernels.h"
#include "nn/backend/op_cases.h"
#include "nn/backend/ref/ref_backend.h"

namespace calfvo {
namespace {

double BoundOf(const OpCase& op, const CpuKernels& kernels) {
  if (kernels.int8 != nullptr) return op.bound_int8;
  return kernels.bf16 ? op.bound_bf16 : op.bound_f32;
}

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, KernelsAgreeWithRefForAnyNumberOfThreads) {
  const auto ref = MakeRefBackend(2);
  for (const OpCase& op : OpCases(GetParam())) {
    const auto oracle = op.prepare(*ref);
    oracle->Run();
    const std::vector<float> expected = oracle->Output();
    for (const CpuKernels* kernels : TestedKernels()) {
      std::vector<float> first;
      for (const int threads : {1, 2, 5}) {
        const auto backend = MakeCpuBackend(*kernels, threads);
        const auto prepared = op.prepare(*backend);
        prepared->Run();
        const std::vector<float> ours = prepared->Output();
        EXPECT_LE(RelativeError(ours, expected), BoundOf(op, *kernels))
            << op.name << " on " << backend->Description();
        if (first.empty()) first = ours;
        EXPECT_EQ(std::memcmp(ours.data(), first.data(), ours.size() * sizeof(float)), 0)
            << op.name << " differs with " << threads << " threads on " << backend->Description();
      }
    }
  }
}

// Storing a matrix for its only reader does not change results, unless the reader takes 8 bits: then a result
// that is itself stored so is rounded, and so is one in bf16 that is not.
TEST(Readers, ChangeNoBits) {
  const std::vector<OpCase> cases = OpCases("odd");
  int compared = 0;
  for (const OpCase& op : cases) {
    const size_t comma = op.name.find(',');
    if (comma == std::string::npos) continue;
    const auto plain = std::find_if(cases.begin(), cases.end(), [&](const OpCase& other) {
      return other.name == op.name.substr(0, comma);
    });
    ASSERT_NE(plain, cases.end()) << op.name;
    for (const CpuKernels* kernels : TestedKernels()) {
      const auto backend = MakeCpuBackend(*kernels, 2);
      const auto ours = op.prepare(*backend);
      const auto expected = plain->prepare(*backend);
      ours->Run();
      expected->Run();
      const bool ends_in_stream =
          op.name.find("stream") != std::string::npos || op.name.find("feed-forward") != std::string::npos;
      if (kernels->int8 == nullptr || (ends_in_stream && !kernels->bf16)) {
        EXPECT_EQ(ours->Output(), expected->Output()) << op.name << " on " << backend->Description();
      } else {
        EXPECT_LE(RelativeError(ours->Output(), expected->Output()), op.bound_int8)
            << op.name << " on " << backend->Description();
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, 40);
}

// Integers of up to ±127, among them 127, have the scale 1: products of them must be exact.
TEST(Int8, SumsOfIntegersAreExactOnAllKernels) {
  std::minstd_rand random(7);
  const auto integers = [&](int64_t rows, int64_t cols) {
    std::vector<float> values(static_cast<size_t>(rows * cols));
    for (float& value : values) value = static_cast<float>(random() % 255) - 127.0F;
    for (int64_t row = 0; row < rows; ++row) values[static_cast<size_t>(row * cols + row % cols)] = 127.0F;
    return values;
  };
  constexpr int64_t kRows = 101;
  constexpr int64_t kOut = 70;
  const std::vector<float> bias(kOut, 0.0F);
  int tested = 0;
  for (const int64_t in : {64, 101, 288, 1100, 4096}) {
    const std::vector<float> x = integers(kRows, in);
    const std::vector<float> weight = integers(kOut, in);
    std::vector<float> expected;
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t column = 0; column < kOut; ++column) {
        int64_t sum = 0;
        for (int64_t i = 0; i < in; ++i) {
          sum += static_cast<int64_t>(x[static_cast<size_t>(row * in + i)]) *
                 static_cast<int64_t>(weight[static_cast<size_t>(column * in + i)]);
        }
        expected.push_back(static_cast<float>(sum));
      }
    }
    for (const CpuKernels* kernels : TestedKernels()) {
      if (kernels->int8 == nullptr) continue;
      const auto backend = MakeCpuBackend(*kernels, 2);
      const auto linear =
          backend->MakeLinear({weight.data(), DType::kF32, {kOut, in}}, {bias.data(), DType::kF32, {kOut}});
      for (const bool has_reader : {false, true}) {
        const size_t element_size = backend->ElementSize(Role::kActivation);
        const auto x_buffer = backend->Allocate(x.size() * element_size);
        Activation operand{x_buffer->data(), kRows, in, element_size, {}};
        if (has_reader) operand = operand.For(*linear);
        const auto y_buffer = backend->Allocate(expected.size() * sizeof(float));
        const Stream y{y_buffer->data(), kRows, kOut, sizeof(float), {}};
        backend->Upload(x, operand);
        backend->LinearToStream(operand, *linear, /*accumulate=*/false, y);
        std::vector<float> ours(expected.size());
        backend->Download(y, ours);
        EXPECT_EQ(ours, expected) << in << " on " << backend->Description();
        ++tested;
      }
    }
  }
  EXPECT_GE(tested, 10);
}

// Neighbourhoods that are stored for a convolution hold the same pixels, each rounded to 1/254 of the
// largest.
TEST(Int8, NeighbourhoodsHaveAScaleEach) {
  constexpr int kSide = 6;
  constexpr int64_t kChannels = 20;
  constexpr int64_t kRows = kSide * kSide;
  std::vector<float> maps(kRows * kChannels);
  for (size_t i = 0; i < maps.size(); ++i)
    maps[i] = std::sin(static_cast<float>(i * i)) * static_cast<float>(i);
  const std::vector<float> weight(9 * kChannels, 1.0F);
  const std::vector<float> bias(1, 0.0F);
  const auto run = [&](Backend& backend, bool for_convolution) {
    const auto linear =
        backend.MakeLinear({weight.data(), DType::kF32, {1, 9 * kChannels}}, {bias.data(), DType::kF32, {1}});
    const size_t element_size = backend.ElementSize(Role::kActivation);
    const auto from_buffer = backend.Allocate(maps.size() * element_size);
    const auto to_buffer = backend.Allocate(9 * maps.size() * element_size);
    const Activation from{from_buffer->data(), kRows, kChannels, element_size, {}};
    Activation to{to_buffer->data(), kRows, 9 * kChannels, element_size, {}};
    if (for_convolution) to = to.ForConvolution(*linear);
    backend.Upload(maps, from);
    backend.Neighbourhoods(from, 1, kSide, kSide, 1, to);
    std::vector<float> values(9 * maps.size());
    backend.Download(to, values);
    return values;
  };
  const std::vector<float> expected = run(*MakeRefBackend(1), false);
  for (const CpuKernels* kernels : TestedKernels()) {
    const auto backend = MakeCpuBackend(*kernels, 2);
    const std::vector<float> ours = run(*backend, true);
    for (int64_t row = 0; row < kRows; ++row) {
      const auto begin = static_cast<size_t>(row * 9 * kChannels);
      float most = 0.0F;
      for (size_t i = begin; i < begin + 9 * kChannels; ++i) most = std::max(most, std::abs(expected[i]));
      const float bound = kernels->int8 != nullptr ? most / 253.0F : 0.0F;
      for (size_t i = begin; i < begin + 9 * kChannels; ++i) {
        // bf16 rounds to 8 bits before.
        EXPECT_NEAR(ours[i], expected[i], bound + (kernels->bf16 ? most / 256.0F : 0.0F))
            << row << " on " << backend->Description();
      }
    }
  }
}

std::vector<std::string> TestedScales() {
  std::vector<std::string> scales = {"odd", "calfvo-s"};
#ifndef CALFVO_SMALL_CASES  // sanitizers and emulators take minutes for it
  scales.emplace_back("calfvo-l");
#endif
  return scales;
}

INSTANTIATE_TEST_SUITE_P(Ops, Conformance, testing::ValuesIn(TestedScales()), [](const auto& test) {
  return test.param == "odd" ? "odd" : test.param == "calfvo-s" ? "small" : "large";
});

}  // namespace
}  // namespace calfvo
