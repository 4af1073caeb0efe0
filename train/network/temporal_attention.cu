// SPDX-License-Identifier: Apache-2.0
// One warp per window, position and head. It brings its rows of q, k, v and the gradient into shared memory,
// all at once, and works from there. Its lanes are `kLanes` columns of eight elements by 32 / kLanes groups;
// a group owns every 32 / kLanes-th of the K rows.
#include <cmath>

#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"

namespace calfvo::train {
namespace {

constexpr int kWarpsPerBlock = 2;

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

// The K rows of a matrix, zeros beyond the last; [row][column].
template <typename T, int kLanes, int kRows>
using Rows = Packed<T>[kRows][kLanes];
// One value for each pair of rows.
template <int kRows>
using Pairs = float[kRows][kRows + 1];

// Rows of kMatrices matrices → shared memory. All loads are under way before the first is waited for.
template <typename T, int kLanes, int kRows, int kMatrices>
__device__ void Stage(const T* const (&from)[kMatrices], const int64_t (&row)[kMatrices], int frames,
                      bool has_columns, Rows<T, kLanes, kRows> (&to)[kMatrices]) {
  constexpr int kGroups = 32 / kLanes;
  constexpr int kOwn = kRows / kGroups;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const int column = static_cast<int>(threadIdx.x) % kLanes;
  Packed<T> own[kMatrices][kOwn] = {};
#pragma unroll
  for (int m = 0; m < kMatrices; ++m) {
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const int i = group + r * kGroups;
      if (has_columns && i < frames) own[m][r] = LoadPacked(from[m] + i * row[m]);
    }
  }
#pragma unroll
  for (int m = 0; m < kMatrices; ++m) {
#pragma unroll
    for (int r = 0; r < kOwn; ++r) to[m][group + r * kGroups][column] = own[m][r];
  }
  __syncwarp();
}

// The lane's products of row x with the rows of `others`, see SplitSums.
template <typename T, int kLanes, int kRows>
__device__ void Products(const Vector& x, const Rows<T, kLanes, kRows>& others, float (&products)[kRows]) {
  const int column = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int j = 0; j < kRows; ++j) products[j] = Dot(x, Unpacked(others[j][column]));
  SplitSums<kLanes / 2, 1, kRows / 2>(products);
}

template <int kLanes>
__device__ float LaneMost(float value) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFU, value, offset));
  }
  return value;
}

// The lane's part of a row of the softmax of q · kᵀ, see SplitSums.
template <typename T, int kLanes, int kRows>
__device__ void Weights(const Vector& q, const Rows<T, kLanes, kRows>& k, int frames, float scale,
                        float (&weights)[kRows]) {
  constexpr int kPart = kRows / kLanes;
  const int first = static_cast<int>(threadIdx.x) % kLanes * kPart;
  Products<T, kLanes, kRows>(q, k, weights);
  float most = -INFINITY;
#pragma unroll
  for (int p = 0; p < kPart; ++p) {
    weights[p] = first + p < frames ? weights[p] * scale : -INFINITY;
    most = fmaxf(most, weights[p]);
  }
  most = LaneMost<kLanes>(most);
  float sum = 0.0F;
#pragma unroll
  for (int p = 0; p < kPart; ++p) {
    weights[p] = __expf(weights[p] - most);
    sum += weights[p];
  }
  sum = LaneSum<kLanes>(sum);
#pragma unroll
  for (int p = 0; p < kPart; ++p) weights[p] /= sum;
}

template <typename T, int kLanes, int kRows>
__global__ void Forward(TemporalShape shape, int64_t warps, float scale, const T* __restrict__ qkv,
                        T* __restrict__ out) {
  constexpr int kGroups = 32 / kLanes;
  constexpr int kOwn = kRows / kGroups;
  constexpr int kPart = kRows / kLanes;
  __shared__ Rows<T, kLanes, kRows> shared_rows[kWarpsPerBlock][3];
  __shared__ Pairs<kRows> shared_weights[kWarpsPerBlock];
  const int64_t warp = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.y;
  if (warp >= warps) return;  // whole warps leave, and only __syncwarp follows
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const int column = static_cast<int>(threadIdx.x) % kLanes;
  const Place place = PlaceOf(shape, warp, column);
  auto& rows = shared_rows[threadIdx.y];
  auto& all_weights = shared_weights[threadIdx.y];

  const T* q = qkv + place.first;
  Stage<T, kLanes, kRows, 3>({q, q + place.part, q + 2 * place.part}, {place.row, place.row, place.row},
                             shape.frames, place.has_columns, rows);
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
    float weights[kRows];
    Weights<T, kLanes, kRows>(Unpacked(rows[0][i][column]), rows[1], shape.frames, scale, weights);
#pragma unroll
    for (int p = 0; p < kPart; ++p) all_weights[i][column * kPart + p] = weights[p];
  }
  __syncwarp();

  Vector sum[kOwn] = {};
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const Vector v = Unpacked(rows[2][j][column]);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) AddScaled(sum[r], all_weights[group + r * kGroups][j], v);
  }
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
    if (place.has_columns && i < shape.frames) Store8(out + place.out_first + i * place.out_row, sum[r]);
  }
}

// With P the weights and G the gradient of the output: dV = Pᵀ·G, dP = G·Vᵀ, dS = P ∘ (dP − rowsum(P ∘ dP)),
// dQ = scale·dS·K, dK = scale·dSᵀ·Q. A group owns rows of P and dS first, then columns.
template <typename T, int kLanes, int kRows>
__global__ void Backward(TemporalShape shape, int64_t warps, float scale, const T* __restrict__ qkv,
                         const T* __restrict__ out_gradient, T* __restrict__ qkv_gradient) {
  constexpr int kGroups = 32 / kLanes;
  constexpr int kOwn = kRows / kGroups;
  constexpr int kPart = kRows / kLanes;
  __shared__ Rows<T, kLanes, kRows> shared_rows[kWarpsPerBlock][4];
  __shared__ Pairs<kRows> shared_weights[kWarpsPerBlock];
  __shared__ Pairs<kRows> shared_scores[kWarpsPerBlock];
  const int64_t warp = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.y;
  if (warp >= warps) return;  // whole warps leave, and only __syncwarp follows
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const int column = static_cast<int>(threadIdx.x) % kLanes;
  const Place place = PlaceOf(shape, warp, column);
  auto& rows = shared_rows[threadIdx.y];  // of q, k, v and G
  auto& all_weights = shared_weights[threadIdx.y];
  auto& all_scores = shared_scores[threadIdx.y];  // scale·dS

  const T* q = qkv + place.first;
  Stage<T, kLanes, kRows, 4>({q, q + place.part, q + 2 * place.part, out_gradient + place.out_first},
                             {place.row, place.row, place.row, place.out_row}, shape.frames,
                             place.has_columns, rows);
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    const int i = group + r * kGroups;
    float weights[kRows];
    Weights<T, kLanes, kRows>(Unpacked(rows[0][i][column]), rows[1], shape.frames, scale, weights);
    float scores[kRows];  // dP
    Products<T, kLanes, kRows>(Unpacked(rows[3][i][column]), rows[2], scores);
    float row_sum = 0.0F;
#pragma unroll
    for (int p = 0; p < kPart; ++p) row_sum += weights[p] * scores[p];
    row_sum = LaneSum<kLanes>(row_sum);
#pragma unroll
    for (int p = 0; p < kPart; ++p) {
      all_weights[i][column * kPart + p] = weights[p];
      all_scores[i][column * kPart + p] = scale * weights[p] * (scores[p] - row_sum);
    }
  }
  __syncwarp();

  Vector q_gradient[kOwn] = {};
  Vector k_gradient[kOwn] = {};
  Vector v_gradient[kOwn] = {};
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const Vector other_q = Unpacked(rows[0][i][column]);
    const Vector other_k = Unpacked(rows[1][i][column]);
    const Vector other_g = Unpacked(rows[3][i][column]);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const int own = group + r * kGroups;
      AddScaled(q_gradient[r], all_scores[own][i], other_k);
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
