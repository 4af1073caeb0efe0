// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_check.h"
#include "backend/cuda/element.cuh"
#include "backend/cuda/kernels.h"

namespace calfvo::cuda {
namespace {

constexpr int kLanesPerHead = 8;  // heads of 64, eight elements a lane
constexpr int kHead = 64;

__device__ inline float SumOfHead(float value) {
#pragma unroll
  for (int step = kLanesPerHead / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

// Eight lanes take one head of one token through all of its frames; keys and values stay in registers. Token
// 0 is the camera's: its output is zero. `rows_per_frame` is 1 + tokens.
template <int kFrames, typename Out>
__global__ void __launch_bounds__(128)
    HeadsOf64(const BF16* qkv, int64_t windows, int frames, int rows_per_frame, int heads, Out* out,
              const float* inverse_scale) {
  const int64_t work = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kLanesPerHead;
  const int lane = static_cast<int>(threadIdx.x) % kLanesPerHead;
  const bool idle = work >= windows * rows_per_frame * heads;
  const int64_t item = idle ? 0 : work;  // idle lanes take part in the sums
  const int head = static_cast<int>(item % heads);
  const int token = static_cast<int>(item / heads % rows_per_frame);
  const int64_t window = item / heads / rows_per_frame;
  const int dim = heads * kHead;
  const float scale = inverse_scale != nullptr ? *inverse_scale : 1.0F;
  const int64_t first_row = window * frames * rows_per_frame + token;
  const int column = head * kHead + lane * 8;

  Eight<BF16> keys[kFrames], values[kFrames];
#pragma unroll
  for (int j = 0; j < kFrames; ++j) {
    const int64_t row = first_row + int64_t{j < frames ? j : 0} * rows_per_frame;
    const BF16* from = qkv + row * 3 * dim + column;
    keys[j] = *reinterpret_cast<const Eight<BF16>*>(from + dim);
    values[j] = *reinterpret_cast<const Eight<BF16>*>(from + 2 * dim);
  }
  for (int i = 0; i < frames; ++i) {
    const int64_t row = first_row + int64_t{i} * rows_per_frame;
    float query[8];
    Load(qkv + row * 3 * dim + column, query);
    float scores[kFrames];
    float largest = -INFINITY;
#pragma unroll
    for (int j = 0; j < kFrames; ++j) {
      float sum = 0.0F;
#pragma unroll
      for (int c = 0; c < 8; ++c) sum += query[c] * static_cast<float>(keys[j].at[c]);
      scores[j] = j < frames ? SumOfHead(sum) * 0.125F : -INFINITY;  // 1 / √64
      largest = fmaxf(largest, scores[j]);
    }
    float total = 0.0F;
    float result[8] = {};
#pragma unroll
    for (int j = 0; j < kFrames; ++j) {
      const float weight = __expf(scores[j] - largest);
      total += weight;
#pragma unroll
      for (int c = 0; c < 8; ++c) result[c] += weight * static_cast<float>(values[j].at[c]);
    }
    const float factor = token == 0 ? 0.0F : 1.0F / total;
#pragma unroll
    for (int c = 0; c < 8; ++c) result[c] *= factor;
    if (!idle) Store(result, scale, out + row * dim + column);
  }
}

// Heads and windows of any size, one warp per query.
template <typename Out>
__global__ void AnyHeads(const BF16* qkv, int64_t windows, int frames, int rows_per_frame, int heads,
                         int head_size, Out* out, const float* inverse_scale) {
  const int64_t work = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (work >= windows * frames * rows_per_frame * heads) return;
  const int head = static_cast<int>(work % heads);
  const int64_t row = work / heads;
  const int token = static_cast<int>(row % rows_per_frame);
  const int64_t window = row / rows_per_frame / frames;
  const int64_t first_row = window * frames * rows_per_frame + token;
  const int dim = heads * head_size;
  const float scale = inverse_scale != nullptr ? *inverse_scale : 1.0F;
  const BF16* query = qkv + row * 3 * dim + head * head_size;
  const auto score = [&](int j) {
    const BF16* key = qkv + (first_row + int64_t{j} * rows_per_frame) * 3 * dim + dim + head * head_size;
    float sum = 0.0F;
    for (int c = lane; c < head_size; c += kWarp) {
      sum += static_cast<float>(query[c]) * static_cast<float>(key[c]);
    }
    return WarpSum(sum) * rsqrtf(static_cast<float>(head_size));
  };
  float largest = -INFINITY;
  for (int j = 0; j < frames; ++j) largest = fmaxf(largest, score(j));
  float total = 0.0F;
  for (int j = 0; j < frames; ++j) total += __expf(score(j) - largest);
  for (int first = 0; first < head_size; first += kWarp) {  // all lanes take part in the sums
    const int c = first + lane;
    float sum = 0.0F;
    for (int j = 0; j < frames; ++j) {
      const float weight = __expf(score(j) - largest);
      const BF16* value =
          qkv + (first_row + int64_t{j} * rows_per_frame) * 3 * dim + 2 * dim + head * head_size;
      if (c < head_size) sum += weight * static_cast<float>(value[c]);
    }
    if (c < head_size)
      out[row * dim + head * head_size + c] = Round<Out>(token == 0 ? 0.0F : sum / total, scale);
  }
}

template <typename Out>
void Launch(const TemporalArguments& a, cudaStream_t stream) {
  const auto* qkv = static_cast<const BF16*>(a.qkv);
  auto* out = static_cast<Out*>(a.out.data);
  constexpr int kThreads = 128;
  const int rows_per_frame = 1 + a.tokens;
  const auto blocks = [&](int64_t threads) {
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  };
  const int64_t items = a.windows * rows_per_frame * a.heads;
  if (a.head_size == kHead && a.frames <= 16) {
    const auto kernel = a.frames <= 8 ? HeadsOf64<8, Out> : HeadsOf64<16, Out>;
    kernel<<<blocks(items * kLanesPerHead), kThreads, 0, stream>>>(qkv, a.windows, a.frames, rows_per_frame,
                                                                   a.heads, out, a.out.inverse_scale);
  } else {
    AnyHeads<Out><<<blocks(items * a.frames * kWarp), kThreads, 0, stream>>>(
        qkv, a.windows, a.frames, rows_per_frame, a.heads, a.head_size, out, a.out.inverse_scale);
  }
}

}  // namespace

void TemporalAttention(const TemporalArguments& arguments, cudaStream_t stream) {
  if (arguments.out.is_fp8()) {
    Launch<FP8>(arguments, stream);
  } else {
    Launch<BF16>(arguments, stream);
  }
  CheckLaunch("attending over frames");
}

}  // namespace calfvo::cuda
