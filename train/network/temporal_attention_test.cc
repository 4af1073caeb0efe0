// SPDX-License-Identifier: Apache-2.0
// Attention over time and its gradient against plain loops in double.
#include "network/temporal_attention.h"

#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "core/portable/random.h"

namespace calfvo::train {
namespace {

constexpr int kWindows = 2;
constexpr int kFrames = 3;
constexpr int kTokens = 2;
constexpr int kHeads = 2;
constexpr int kHeadSize = 4;
constexpr size_t kOutputs = size_t{kWindows} * kFrames * kTokens * kHeads * kHeadSize;
constexpr size_t kInputs = 3 * kOutputs;

// Element d of part 0 to 2 (q, k, v) of a head in qkv.
size_t InputIndex(int window, int frame, int token, int part, int head, int d) {
  return static_cast<size_t>(
      ((((window * kFrames + frame) * kTokens + token) * 3 + part) * kHeads + head) * kHeadSize + d);
}

size_t OutputIndex(int window, int frame, int token, int head, int d) {
  return static_cast<size_t>((((window * kFrames + frame) * kTokens + token) * kHeads + head) * kHeadSize +
                             d);
}

std::vector<double> PlainAttention(const std::vector<double>& qkv) {
  std::vector<double> out(kOutputs, 0.0);
  for (int b = 0; b < kWindows; ++b) {
    for (int t = 0; t < kTokens; ++t) {
      for (int h = 0; h < kHeads; ++h) {
        for (int i = 0; i < kFrames; ++i) {
          std::vector<double> weights;
          double sum = 0.0;
          for (int j = 0; j < kFrames; ++j) {
            double score = 0.0;
            for (int d = 0; d < kHeadSize; ++d) {
              score += qkv[InputIndex(b, i, t, 0, h, d)] * qkv[InputIndex(b, j, t, 1, h, d)];
            }
            weights.push_back(std::exp(score / std::sqrt(double{kHeadSize})));
            sum += weights.back();
          }
          for (int j = 0; j < kFrames; ++j) {
            for (int d = 0; d < kHeadSize; ++d) {
              out[OutputIndex(b, i, t, h, d)] +=
                  weights[static_cast<size_t>(j)] / sum * qkv[InputIndex(b, j, t, 2, h, d)];
            }
          }
        }
      }
    }
  }
  return out;
}

std::vector<double> RandomValues(size_t count, uint64_t seed) {
  portable::Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(random.Normal());
  return values;
}

at::Tensor ToTensor(std::vector<double> values, at::IntArrayRef shape) {
  return at::from_blob(values.data(), shape, at::kDouble).to(at::kFloat);
}

TEST(TemporalAttention, ValuesAndGradientsMatchPlainLoops) {
  std::vector<double> qkv = RandomValues(kInputs, 1);
  const std::vector<double> out_gradient = RandomValues(kOutputs, 2);
  at::Tensor input = ToTensor(qkv, {kWindows, kFrames, kTokens, 3, kHeads, kHeadSize}).requires_grad_();
  const at::Tensor output = TemporalAttention(input);
  ASSERT_EQ(output.sizes().vec(), (std::vector<int64_t>{kWindows, kFrames, kTokens, kHeads * kHeadSize}));
  output.backward(ToTensor(out_gradient, output.sizes()));

  const std::vector<double> expected = PlainAttention(qkv);
  for (size_t i = 0; i < kOutputs; ++i) EXPECT_NEAR(output.data_ptr<float>()[i], expected[i], 1e-5);

  const auto loss_at = [&](size_t i, double value) {
    const double old = std::exchange(qkv[i], value);
    const std::vector<double> out = PlainAttention(qkv);
    qkv[i] = old;
    double loss = 0.0;
    for (size_t o = 0; o < kOutputs; ++o) loss += out[o] * out_gradient[o];
    return loss;
  };
  const at::Tensor gradient = input.grad().contiguous();
  for (size_t i = 0; i < kInputs; ++i) {
    constexpr double kStep = 1e-5;
    const double difference = (loss_at(i, qkv[i] + kStep) - loss_at(i, qkv[i] - kStep)) / (2 * kStep);
    EXPECT_NEAR(gradient.data_ptr<float>()[i], difference, 1e-4) << i;
  }
}

}  // namespace
}  // namespace calfvo::train
