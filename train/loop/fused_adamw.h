// SPDX-License-Identifier: Apache-2.0
// The optimiser's arithmetic on each element in one pass over memory.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace calfvo::train {

// As members of Optimizer.
struct AdamWStep {
  torch::Tensor gradients, weights, first_moment, second_moment, average;  // flat, f32
  torch::Tensor norm, skipped;                                             // one number each, on the device
  torch::Tensor step_size, learning_rate, second_correction, average_weight;
  int64_t step_along = 0;  // weights in [0, step_along) step along what is in `gradients`, without moments
  int64_t decay_size = 0;
  double beta1 = 0.0, beta2 = 0.0, eps = 0.0, weight_decay = 0.0, clip_norm = 0.0;
};

// What Optimizer::Update does once `norm` is known, but leaves the gradients as they are. False, and nothing
// done, off CUDA and in builds without it.
bool FusedAdamW(const AdamWStep& step);

}  // namespace calfvo::train
