// SPDX-License-Identifier: Apache-2.0
#include "nn/tensor/half.h"

namespace calfvo {

void ToFloat(const BFloat16* __restrict from, size_t count, float* __restrict to) {
  for (size_t i = 0; i < count; ++i) to[i] = ToFloat(from[i]);
}

void ToFloat(const Float16* __restrict from, size_t count, float* __restrict to) {
  for (size_t i = 0; i < count; ++i) to[i] = ToFloat(from[i]);
}

void ToBFloat16(const float* __restrict from, size_t count, BFloat16* __restrict to) {
  for (size_t i = 0; i < count; ++i) to[i] = ToBFloat16(from[i]);
}

void ToFloat16(const float* __restrict from, size_t count, Float16* __restrict to) {
  for (size_t i = 0; i < count; ++i) to[i] = ToFloat16(from[i]);
}

}  // namespace calfvo
