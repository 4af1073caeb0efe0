// SPDX-License-Identifier: Apache-2.0
// One warp per window, position and head. Its lanes are `kLanes` columns of eight elements by 32 / kLanes
// groups; a group owns every 32 / kLanes-th of the K rows. Rows of others are read by all groups at once,
// which costs one transaction.
#include <cmath>

#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"

namespace calfvo::train {
namespace {

constexpr int kWarpsPerBlock = 4;

// The place of a warp's matrices in qkv and out.
struct Place {
  int64_t first;  // element of q's first row, at this lane's columns
  int64_t row;    // elements from a frame's row to the next
  int64_t part;   // from q to k to v
  int64_t out_first;
  int64_t out_row;
  bool has_columns;  // false for lanes beyond the head's size
};

__device__ Place PlaceOf(const TemporalShape& shape, int64_t warp, int column) {
  const int64_t dim = int64_t{shape.heads} * shape.head_size;
  const int64_t head = warp % shape.heads;
  const int64_t token = warp / shape.heads % shape.tokens;
  const int64_t window = warp / shape.heads / shape.tokens;
  const int64_t token_row = window * shape.frames * shape.tokens + token;
  const int64_t inside = head * shape.head_size + column * kVector;
  return {token_row * 3 * dim + inside, shape.tokens * 3 * dim, dim,
          token_row * dim + inside,     shape.tokens * dim,     column * kVector < shape.head_size};
}

template <typename T>
__device__ Vector LoadRow(const T* from, bool valid) {
  return valid ? Load8(from) : Vector{};
}

// weights[r][j]: softmax over the rows j of k of this group's r-th row q.
template <typename T, int kLanes, int kRows, int kOwn>
__device__ void Softmax(const T* qkv, const Place& place, int frames, float scale, const Vector (&q)[kOwn],
                        float (&weights)[kOwn][kRows]) {
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const Vector k = LoadRow(qkv + place.first + place.part + j * place.row, place.has_columns && j < frames);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const float score = LaneSum<kLanes>(Dot(q[r], k)) * scale;
      weights[r][j] = j < frames ? score : -INFINITY;
    }
  }
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    float most = weights[r][0];
#pragma unroll
    for (int j = 1; j < kRows; ++j) most = fmaxf(most, weights[r][j]);
    float sum = 0.0F;
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      weights[r][j] = __expf(weights[r][j] - most);
      sum += weights[r][j];
    }
#pragma unroll
    for (int j = 0; j < kRows; ++j) weights[r][j] /= sum;
  }
}

template <typename T, int kLanes, int kRows>
__global__ void Forward(TemporalShape shape, int64_t warps, float scale, const T* __restrict__ qkv,
                        T* __restrict__ out) {
  constexpr int kGroups = 32 / kLanes;
  constexpr int kOwn = kRows / kGroups;
  const int64_t warp = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.y;
  if (warp >= warps) return;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const Place place = PlaceOf(shape, warp, static_cast<int>(threadIdx.x) % kLanes);

  Vector q[kOwn];
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
    q[r] = LoadRow(qkv + place.first + i * place.row, place.has_columns && i < shape.frames);
  }
  float weights[kOwn][kRows];
  Softmax<T, kLanes>(qkv, place, shape.frames, scale, q, weights);

  Vector sum[kOwn] = {};
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const Vector v =
        LoadRow(qkv + place.first + 2 * place.part + j * place.row, place.has_columns && j < shape.frames);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) AddScaled(sum[r], weights[r][j], v);
  }
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
    if (place.has_columns && i < shape.frames) Store8(out + place.out_first + i * place.out_row, sum[r]);
  }
}

// With P the weights and G the gradient of the output: dV = Pᵀ·G, dP = G·Vᵀ, dS = P ∘ (dP − rowsum(P ∘ dP)),
// dQ = scale·dS·K, dK = scale·dSᵀ·Q. A group owns rows of P and dS first, then columns, which it gets through
// shared memory.
template <typename T, int kLanes, int kRows>
__global__ void Backward(TemporalShape shape, int64_t warps, float scale, const T* __restrict__ qkv,
                         const T* __restrict__ out_gradient, T* __restrict__ qkv_gradient) {
  constexpr int kGroups = 32 / kLanes;
  constexpr int kOwn = kRows / kGroups;
  __shared__ float shared_weights[kWarpsPerBlock][kRows][kRows + 1];
  __shared__ float shared_scores[kWarpsPerBlock][kRows][kRows + 1];
  const int64_t warp = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.y;
  if (warp >= warps) return;  // whole warps leave, and only __syncwarp follows
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const int column = static_cast<int>(threadIdx.x) % kLanes;
  const Place place = PlaceOf(shape, warp, column);
  auto& all_weights = shared_weights[threadIdx.y];
  auto& all_scores = shared_scores[threadIdx.y];

  Vector q[kOwn];
  Vector g[kOwn];
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
    const bool valid = place.has_columns && i < shape.frames;
    q[r] = LoadRow(qkv + place.first + i * place.row, valid);
    g[r] = LoadRow(out_gradient + place.out_first + i * place.out_row, valid);
  }
  float weights[kOwn][kRows];
  Softmax<T, kLanes>(qkv, place, shape.frames, scale, q, weights);

  float scores[kOwn][kRows];  // dP, then dS·scale
  float row_sum[kOwn] = {};
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const Vector v =
        LoadRow(qkv + place.first + 2 * place.part + j * place.row, place.has_columns && j < shape.frames);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      scores[r][j] = LaneSum<kLanes>(Dot(g[r], v));
      row_sum[r] += weights[r][j] * scores[r][j];
    }
  }
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      scores[r][j] = scale * weights[r][j] * (scores[r][j] - row_sum[r]);
      // Every lane of the group has them; one writes each.
      if (j % kLanes == column) {
        all_weights[i][j] = weights[r][j];
        all_scores[i][j] = scores[r][j];
      }
    }
  }
  __syncwarp();

  Vector q_gradient[kOwn] = {};
  Vector k_gradient[kOwn] = {};
  Vector v_gradient[kOwn] = {};
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const bool valid = place.has_columns && i < shape.frames;
    const Vector other_k = LoadRow(qkv + place.first + place.part + i * place.row, valid);
    const Vector other_q = LoadRow(qkv + place.first + i * place.row, valid);
    const Vector other_g = LoadRow(out_gradient + place.out_first + i * place.out_row, valid);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const int own = group + r * kGroups;
      AddScaled(q_gradient[r], scores[r][i], other_k);
      AddScaled(k_gradient[r], all_scores[i][own], other_q);
      AddScaled(v_gradient[r], all_weights[i][own], other_g);
    }
  }
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
    if (!place.has_columns || i >= shape.frames) continue;
    T* to = qkv_gradient + place.first + i * place.row;
    Store8(to, q_gradient[r]);
    Store8(to + place.part, k_gradient[r]);
    Store8(to + 2 * place.part, v_gradient[r]);
  }
}

// Calls launch<T, kLanes, kRows>(grid, block, warps, scale) for the shape.
template <typename Launch>
void Dispatch(const TemporalShape& shape, Element element, const Launch& launch) {
  const int64_t warps = shape.windows * shape.tokens * shape.heads;
  if (warps == 0) return;
  const dim3 grid(static_cast<unsigned>((warps + kWarpsPerBlock - 1) / kWarpsPerBlock));
  const dim3 block(32, kWarpsPerBlock);
  const float scale = 1.0F / std::sqrt(static_cast<float>(shape.head_size));
  const auto with_rows = [&]<typename T, int kLanes>() {
    if (shape.frames <= 8) {
      launch.template operator()<T, kLanes, 8>(grid, block, warps, scale);
    } else {
      launch.template operator()<T, kLanes, 16>(grid, block, warps, scale);
    }
  };
  const auto with_lanes = [&]<typename T>() {
    if (shape.head_size <= 32) {
      with_rows.template operator()<T, 4>();
    } else {
      with_rows.template operator()<T, 8>();
    }
  };
  WithElement(element, with_lanes);
}

}  // namespace

void TemporalAttentionForward(const TemporalShape& shape, Element element, const void* qkv, void* out,
                              CudaStream stream) {
  Dispatch(shape, element,
           [&]<typename T, int kLanes, int kRows>(dim3 grid, dim3 block, int64_t warps, float scale) {
             Forward<T, kLanes, kRows><<<grid, block, 0, stream>>>(
                 shape, warps, scale, static_cast<const T*>(qkv), static_cast<T*>(out));
           });
  CheckLaunch("temporal attention");
}

void TemporalAttentionBackward(const TemporalShape& shape, Element element, const void* qkv,
                               const void* out_gradient, void* qkv_gradient, CudaStream stream) {
  Dispatch(shape, element,
           [&]<typename T, int kLanes, int kRows>(dim3 grid, dim3 block, int64_t warps, float scale) {
             Backward<T, kLanes, kRows><<<grid, block, 0, stream>>>(
                 shape, warps, scale, static_cast<const T*>(qkv), static_cast<const T*>(out_gradient),
                 static_cast<T*>(qkv_gradient));
           });
  CheckLaunch("temporal attention's gradient");
}

}  // namespace calfvo::train
