// SPDX-License-Identifier: Apache-2.0
// One thread turns eight pairs of elements.
#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 256;

template <typename T>
struct Parts {
  const T* from[3];
  T* to[3];
  int64_t from_row, to_row;  // elements from a token to the next
};

// `sign` −1 turns back. A part with index 2 is v, which is copied.
template <typename T>
__global__ void Rotate(RotationShape shape, int part_count, float sign, Parts<T> parts,
                       const float* __restrict__ cos, const float* __restrict__ sin) {
  const int half = shape.head_size / 2;
  const uint32_t vectors = half / kVector;                     // of pairs, in a head
  const uint32_t index = blockIdx.x * kThreads + threadIdx.x;  // over rows, parts, heads and vectors
  const int pair = static_cast<int>(index % vectors) * kVector;
  const int head = static_cast<int>(index / vectors % shape.heads);
  const int part = static_cast<int>(index / vectors / shape.heads % part_count);
  const uint32_t row = index / vectors / shape.heads / part_count;
  if (row >= shape.sequences * shape.tokens) return;

  const int inside = head * shape.head_size + pair / shape.group * 2 * shape.group + pair % shape.group;
  // Spelled out, since an index would put the array into local memory.
  const T* from = part == 0 ? parts.from[0] : part == 1 ? parts.from[1] : parts.from[2];
  T* to = part == 0 ? parts.to[0] : part == 1 ? parts.to[1] : parts.to[2];
  from += row * parts.from_row + inside;
  to += row * parts.to_row + inside;
  Vector u = Load8(from);
  Vector v = Load8(from + shape.group);
  if (part < 2) {
    const uint32_t table = row % static_cast<uint32_t>(shape.tokens) * half + pair;
    const Vector c = Load8(cos + table);
    const Vector s = Load8(sin + table);
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      const float old = u.v[i];
      u.v[i] = old * c.v[i] - sign * v.v[i] * s.v[i];
      v.v[i] = v.v[i] * c.v[i] + sign * old * s.v[i];
    }
  }
  Store8(to, u);
  Store8(to + shape.group, v);
}

template <typename T>
void Launch(const RotationShape& shape, int part_count, float sign, const Parts<T>& parts, const float* cos,
            const float* sin, CudaStream stream) {
  const int64_t threads =
      shape.sequences * shape.tokens * part_count * shape.heads * (shape.head_size / 2 / kVector);
  if (threads == 0) return;
  const auto blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  Rotate<T><<<blocks, kThreads, 0, stream>>>(shape, part_count, sign, parts, cos, sin);
  CheckLaunch("rotary embedding");
}

}  // namespace

void RotateForward(const RotationShape& shape, Element element, const void* qkv, const float* cos,
                   const float* sin, void* q, void* k, CudaStream stream) {
  const int64_t dim = int64_t{shape.heads} * shape.head_size;
  WithElement(element, [&]<typename T>() {
    const T* from = static_cast<const T*>(qkv);
    Launch<T>(shape, 2, 1.0F,
              {{from, from + dim, nullptr}, {static_cast<T*>(q), static_cast<T*>(k), nullptr}, 3 * dim, dim},
              cos, sin, stream);
  });
}

void RotateBackward(const RotationShape& shape, Element element, const void* q, const void* k, const void* v,
                    const float* cos, const float* sin, void* qkv, CudaStream stream) {
  const int64_t dim = int64_t{shape.heads} * shape.head_size;
  WithElement(element, [&]<typename T>() {
    T* to = static_cast<T*>(qkv);
    Launch<T>(shape, 3, -1.0F,
              {{static_cast<const T*>(q), static_cast<const T*>(k), static_cast<const T*>(v)},
               {to, to + dim, to + 2 * dim},
               dim,
               3 * dim},
              cos, sin, stream);
  });
}

}  // namespace calfvo::train
