// SPDX-License-Identifier: Apache-2.0
// One thread turns eight pairs of elements.
#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 256;

template <typename T>
__global__ void Rotate(RotationShape shape, const T* __restrict__ qkv, const float* __restrict__ cos,
                       const float* __restrict__ sin, T* __restrict__ q, T* __restrict__ k) {
  const int half = shape.head_size / 2;
  const uint32_t vectors = half / kVector;                     // of pairs, in a head
  const uint32_t index = blockIdx.x * kThreads + threadIdx.x;  // over rows, q and k, heads and vectors
  const int pair = static_cast<int>(index % vectors) * kVector;
  const int head = static_cast<int>(index / vectors % shape.heads);
  const int part = static_cast<int>(index / vectors / shape.heads % 2);
  const uint32_t row = index / vectors / shape.heads / 2;
  if (row >= shape.sequences * shape.tokens) return;

  const int64_t dim = int64_t{shape.heads} * shape.head_size;
  const int inside = head * shape.head_size + pair / shape.group * 2 * shape.group + pair % shape.group;
  const T* from = qkv + (3 * int64_t{row} + part) * dim + inside;
  T* to = (part == 0 ? q : k) + row * dim + inside;
  Vector u = Load8(from);
  Vector v = Load8(from + shape.group);
  const uint32_t table = row % static_cast<uint32_t>(shape.tokens) * half + pair;
  const Vector c = Load8(cos + table);
  const Vector s = Load8(sin + table);
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    const float old = u.v[i];
    u.v[i] = old * c.v[i] - v.v[i] * s.v[i];
    v.v[i] = v.v[i] * c.v[i] + old * s.v[i];
  }
  Store8(to, u);
  Store8(to + shape.group, v);
}

}  // namespace

void RotateForward(const RotationShape& shape, Element element, const void* qkv, const float* cos,
                   const float* sin, void* q, void* k, CudaStream stream) {
  const int64_t threads = shape.sequences * shape.tokens * 2 * shape.heads * (shape.head_size / 2 / kVector);
  if (threads == 0) return;
  const auto blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  WithElement(element, [&]<typename T>() {
    Rotate<T><<<blocks, kThreads, 0, stream>>>(shape, static_cast<const T*>(qkv), cos, sin,
                                               static_cast<T*>(q), static_cast<T*>(k));
  });
  CheckLaunch("rotary embedding");
}

}  // namespace calfvo::train
