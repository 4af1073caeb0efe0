// SPDX-License-Identifier: Apache-2.0
// The kernel behind fused_adamw.h. Built only with CALFVO_CUDA.
#pragma once

#include <cstdint>

struct CUstream_st;

namespace calfvo::train {

// Device pointers. The first five are [size], aligned to 16 bytes; the others one number each.
struct AdamWArguments {
  int64_t size = 0;        // a multiple of 4, as are the next two
  int64_t step_along = 0;  // weights in [0, step_along) step along what is in `gradients`, without moments
  int64_t decay_size = 0;  // weight decay acts on [0, decay_size)
  const float* gradients = nullptr;
  float* weights = nullptr;
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  float* average = nullptr;
  const float* norm = nullptr;  // of the gradients
  float* skipped = nullptr;     // grows by one where the norm is not finite
  const float* step_size = nullptr;
  const float* learning_rate = nullptr;
  const float* second_correction = nullptr;
  const float* average_weight = nullptr;
  float first_weight = 0.0F;   // 1 − β₁
  float second_weight = 0.0F;  // 1 − β₂
  float eps = 0.0F;
  float weight_decay = 0.0F;
  float clip_norm = 0.0F;  // 0: no clipping
};

void AdamWUpdate(const AdamWArguments& arguments, CUstream_st* stream);

}  // namespace calfvo::train
