// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/ref/ref_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace calfvo {
namespace {

constexpr int kHeads = 2;
constexpr int64_t kDim = 6;
constexpr int64_t kHeadSize = kDim / kHeads;

// Applies the weights it receives to the values, which must reproduce the output of the backend.
class Replay : public AttentionObserver {
 public:
  void BeginAttention(int heads) override {
    EXPECT_EQ(heads, kHeads);
    calls = 0;
  }
  void Attended(std::span<const int64_t> rows, std::span<const float> weights) override {
    const int64_t head = calls++ % kHeads;  // one thread takes them in order
    for (size_t i = 0; i < rows.size(); ++i) {
      float sum = 0.0F;
      for (size_t j = 0; j < rows.size(); ++j) {
        const float weight = weights[i * rows.size() + j];
        sum += weight;
        for (int64_t c = head * kHeadSize; c < (head + 1) * kHeadSize; ++c) {
          out[static_cast<size_t>(rows[i] * kDim + c)] +=
              weight * qkv[static_cast<size_t>(rows[j] * 3 * kDim + 2 * kDim + c)];
        }
      }
      EXPECT_NEAR(sum, 1.0F, 1e-5);
    }
  }

  int64_t calls = 0;
  std::vector<float> qkv;
  std::vector<float> out;
};

TEST(ObservedBackend, ReportsTheWeightsThatItUses) {
  const WindowShape shape{.windows = 1, .frames = 3, .tokens = 4};
  Replay replay;
  const auto backend = MakeObservedBackend(replay);
  for (int i = 0; i < shape.rows() * 3 * kDim; ++i)
    replay.qkv.push_back(std::sin(0.7F * static_cast<float>(i * i)));
  const auto from = backend->Allocate(replay.qkv.size() * sizeof(float));
  const auto to = backend->Allocate(replay.qkv.size() * sizeof(float));
  const Activation qkv{from->data(), shape.rows(), 3 * kDim, sizeof(float)};
  const Activation out{to->data(), shape.rows(), kDim, sizeof(float)};
  backend->Upload(replay.qkv, qkv);
  std::vector<float> result(static_cast<size_t>(shape.rows() * kDim));
  const auto expect_same = [&](int64_t calls) {
    EXPECT_EQ(replay.calls, calls);
    backend->Download(out, result);
    for (size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], replay.out[i], 1e-5);
  };
  replay.out.assign(result.size(), 0.0F);
  backend->SpatialAttention(qkv, shape.frames, kHeads, nullptr, out);
  expect_same(shape.frames * kHeads);
  replay.out.assign(result.size(), 0.0F);
  backend->TemporalAttention(qkv, shape, kHeads, out);
  expect_same(shape.tokens * kHeads);
}

}  // namespace
}  // namespace calfvo
