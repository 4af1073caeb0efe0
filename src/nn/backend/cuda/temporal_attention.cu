// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/element.cuh"
#include "nn/backend/cuda/kernels.h"
#include "nn/backend/cuda/tensor_core.cuh"

namespace calfvo::cuda {
namespace {

constexpr int kHead = 64;
constexpr int kFrames = 8;  // rows of a tile

// Up to 8 frames: a warp takes two heads of one token, of which the tensor cores multiply all frames at once.
// Lane l holds, of frame l/4, elements 16·(l%4) … of either head; where the two products of a head have
// another order of elements than memory, both operands have the same. Token 0 is the camera's: its output is
// zero.
template <typename Out>
__global__ void __launch_bounds__(128)
    TwoHeadsOf64(const BF16* qkv, int64_t windows, int frames, int rows_per_frame, int heads, Out* out,
                 const float* inverse_scale) {
  const int64_t item = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  const int pairs_of_heads = (heads + 1) / 2;
  if (item >= windows * rows_per_frame * pairs_of_heads) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int frame = lane / 4, quarter = lane % 4;
  const int head = static_cast<int>(item % pairs_of_heads) * 2;
  const int token = static_cast<int>(item / pairs_of_heads % rows_per_frame);
  const int64_t window = item / pairs_of_heads / rows_per_frame;
  const int dim = heads * kHead;
  const bool has_second = head + 1 < heads;
  const int64_t row = (window * frames + min(frame, frames - 1)) * rows_per_frame + token;
  const BF16* first = qkv + row * 3 * dim + head * kHead + 16 * quarter;
  const BF16* second = first + (has_second ? kHead : 0);

  const Sixteen query[2] = {LoadSixteen(first), LoadSixteen(second)};
  const Sixteen key[2] = {LoadSixteen(first + dim), LoadSixteen(second + dim)};
  const Sixteen value[2] = {LoadSixteen(first + 2 * dim), LoadSixteen(second + 2 * dim)};

  // Rows 0–7 of the products are queries of the first head, 8–15 of the second; of the scores with the keys
  // of either head, only its own rows count.
  float scores[2][4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint32_t a[4] = {query[0].pairs[2 * k], query[1].pairs[2 * k], query[0].pairs[2 * k + 1],
                           query[1].pairs[2 * k + 1]};
#pragma unroll
    for (int h = 0; h < 2; ++h) MultiplyAdd(a, key[h].pairs[2 * k], key[h].pairs[2 * k + 1], scores[h]);
  }
  float totals[2];
  uint32_t weights[4] = {};  // block diagonal: no head sees the other's values
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    constexpr float kScale = 0.125F;  // 1/√64
    const float low = 2 * quarter < frames ? scores[h][2 * h] * kScale : -INFINITY;
    const float high = 2 * quarter + 1 < frames ? scores[h][2 * h + 1] * kScale : -INFINITY;
    float largest = fmaxf(low, high);
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, 1));
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, 2));
    const float low_weight = __expf(low - largest), high_weight = __expf(high - largest);
    float total = low_weight + high_weight;
    total += __shfl_xor_sync(kAllLanes, total, 1);
    totals[h] = total + __shfl_xor_sync(kAllLanes, total, 2);
    weights[3 * h] = Pack(low_weight, high_weight);
  }
  float results[2][16];
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    float sums[4] = {};
    MultiplyAdd(weights, Transposed(value[0].pairs[n]), Transposed(value[1].pairs[n]), sums);
#pragma unroll
    for (int i = 0; i < 4; ++i) results[i / 2][2 * n + i % 2] = sums[i];
  }
  if (frame >= frames) return;
  const float scale = ScaleOf(inverse_scale);
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    if (h == 1 && !has_second) continue;
    const float factor = token == 0 ? 0.0F : 1.0F / totals[h];
    Out* to = out + row * dim + (head + h) * kHead + 16 * quarter;
#pragma unroll
    for (int eight = 0; eight < 2; ++eight) {
      float scaled[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) scaled[i] = results[h][8 * eight + i] * factor;
      Store(scaled, scale, to + 8 * eight);
    }
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
  const float scale = ScaleOf(inverse_scale);
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
  if (a.head_size == kHead && a.frames <= kFrames) {
    const int64_t warps = a.windows * rows_per_frame * ((a.heads + 1) / 2);
    TwoHeadsOf64<Out><<<blocks(warps * kWarp), kThreads, 0, stream>>>(
        qkv, a.windows, a.frames, rows_per_frame, a.heads, out, a.out.inverse_scale);
  } else {
    AnyHeads<Out><<<blocks(a.windows * rows_per_frame * a.heads * a.frames * kWarp), kThreads, 0, stream>>>(
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
