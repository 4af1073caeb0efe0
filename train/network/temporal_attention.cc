// SPDX-License-Identifier: Apache-2.0
#include "network/temporal_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>

#include "network/fused.h"

namespace calfvo::train {

at::Tensor ComposedTemporalAttention(const at::Tensor& qkv) {
  // [3, B, T, heads, K, D]
  const auto parts = qkv.permute({3, 0, 2, 4, 1, 5}).to(at::kFloat).unbind(0);
  const double scale = 1.0 / std::sqrt(static_cast<double>(qkv.size(5)));
  const at::Tensor weights = at::softmax(at::matmul(parts[0] * scale, parts[1].transpose(-2, -1)), -1);
  const at::Tensor attended = at::matmul(weights, parts[2]);
  return attended.permute({0, 3, 1, 2, 4}).flatten(3).to(qkv.scalar_type());
}

at::Tensor TemporalAttention(const at::Tensor& qkv) {
  if (auto fused = FusedTemporalAttention(qkv)) return *fused;
  return ComposedTemporalAttention(qkv);
}

}  // namespace calfvo::train
