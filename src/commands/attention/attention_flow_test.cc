// SPDX-License-Identifier: Apache-2.0
#include "commands/attention/attention_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calfvo {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

// Two frames of two tokens: rows camera, a, b, camera, a, b. Frame 0's a is followed.
constexpr WindowShape kTimeSpace{.windows = 1, .frames = 2, .tokens = 2};
constexpr int64_t kPlaceA[] = {1, 4};
constexpr int64_t kSecondFrame[] = {3, 4, 5};

// One layer: in time, frame 1's a takes `time` of frame 0's; in space, its rows take `camera`, `a`, `b` of
// that.
void Layer(AttentionFlow& flow, float time, float camera, float a, float b) {
  flow.BeginAttention(1);
  flow.Attended(kPlaceA, std::vector<float>{1.0F, 0.0F, time, 1.0F - time});
  flow.BeginAttention(1);
  flow.Attended(kSecondFrame,
                std::vector<float>{1.0F - camera, camera, 0.0F, 0.0F, a, 1.0F - a, 0.0F, b, 1.0F - b});
}

TEST(AttentionFlow, TimeThenSpace) {
  AttentionFlow flow(kTimeSpace, 0, 0);
  flow.Start();
  Layer(flow, 0.5F, 0.75F, 0.25F, 0.125F);
  EXPECT_THAT(flow.Received(1), ElementsAre(DoubleEq(0.5 * 0.25), DoubleEq(0.5 * 0.125)));
}

TEST(AttentionFlow, LayersAreAveraged) {
  AttentionFlow flow(kTimeSpace, 0, 0);
  flow.Start();
  Layer(flow, 0.5F, 0.0F, 0.25F, 0.0F);
  Layer(flow, 1.0F, 0.0F, 0.0F, 0.5F);
  EXPECT_THAT(flow.Received(1), ElementsAre(DoubleEq(0.5 * 0.25 / 2), DoubleEq(0.5 / 2)));
}

// Rows camera, a and b of frame 0, a and b of frame 1.
TEST(AttentionFlow, FullAttentionIsAskedDirectlyAndHeadsAreAveraged) {
  AttentionFlow flow({.windows = 1, .frames = 2, .tokens = 2, .camera_per_frame = false}, 0, 1);
  flow.Start();
  flow.BeginAttention(2);
  const int64_t rows[] = {0, 1, 2, 3, 4};
  std::vector<float> weights(25, 0.0F);
  weights[3 * 5 + 2] = 0.5F;   // a of frame 1 to b of frame 0, which is followed
  weights[4 * 5 + 2] = 0.25F;  // b of frame 1
  weights[3 * 5 + 1] = 0.5F;   // a of frame 1 to another
  flow.Attended(rows, weights);
  flow.Attended(rows, std::vector<float>(25, 0.2F));
  EXPECT_THAT(flow.Received(1),
              ElementsAre(testing::DoubleNear(0.35, 1e-7), testing::DoubleNear(0.225, 1e-7)));
}

TEST(AttentionFlow, WhatComesBeforeTheStartIsPassedOver) {
  AttentionFlow flow(kTimeSpace, 0, 0);
  flow.BeginAttention(3);
  const int64_t rows[] = {100, 101};
  flow.Attended(rows, std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F});
  flow.Start();
  Layer(flow, 1.0F, 0.0F, 1.0F, 0.0F);
  EXPECT_THAT(flow.Received(1), ElementsAre(1.0, 0.0));
}

}  // namespace
}  // namespace calfvo
