// SPDX-License-Identifier: Apache-2.0
// Attention within sequences. Heads of 64 go through the tensor cores, and scores never leave the registers;
// other heads take a plain kernel.
#include <algorithm>

#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/element.cuh"
#include "nn/backend/cuda/kernels.h"
#include "nn/backend/cuda/tensor_core.cuh"

namespace calfvo::cuda {
namespace {

constexpr int kHead = 64;
constexpr int kWarpRows = 32;                     // queries of a warp: two tiles of 16
constexpr int kMostWarps = 7;                     // 224 queries: one sequence of 197 in one block
constexpr int kKeys = 208;                        // in shared memory at a time
constexpr int kStride = kHead + 8;                // of a row there: eight rows start in different banks
constexpr int kShared = 2 * kKeys * kStride * 2;  // bytes

struct Sequence {
  const BF16* qkv;  // of the first token and this head
  int row;          // elements from one token to the next
  int dim;          // elements from q to k to v
  int length;
};

struct Rotation {
  const float* cos;
  const float* sin;
  int skip;
  int group;  // 16 or 32
};

__device__ void StoreSixteen(const Sixteen& s, BF16* to) {
  auto* vectors = reinterpret_cast<uint4*>(to);
  vectors[0] = {s.pairs[0], s.pairs[1], s.pairs[2], s.pairs[3]};
  vectors[1] = {s.pairs[4], s.pairs[5], s.pairs[6], s.pairs[7]};
}

// What `elements` become when their pairs, of which the others are `partners`, are turned by the angles of
// `token` from `first_pair` on.
__device__ Sixteen Turned(const Rotation& rope, int token, int first_pair, const Sixteen& elements,
                          const Sixteen& partners, bool elements_come_first) {
  if (token < rope.skip) return elements;
  const int64_t at = int64_t{token - rope.skip} * (kHead / 2) + first_pair;
  const auto* cosines = reinterpret_cast<const float4*>(rope.cos + at);
  const auto* sines = reinterpret_cast<const float4*>(rope.sin + at);
  const float sign = elements_come_first ? -1.0F : 1.0F;
  Sixteen turned;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 c = cosines[i], n = sines[i];
    const float2 a = Unpack(elements.pairs[2 * i]), b = Unpack(elements.pairs[2 * i + 1]);
    const float2 p = Unpack(partners.pairs[2 * i]), q = Unpack(partners.pairs[2 * i + 1]);
    turned.pairs[2 * i] = Pack(a.x * c.x + sign * p.x * n.x, a.y * c.y + sign * p.y * n.y);
    turned.pairs[2 * i + 1] = Pack(b.x * c.z + sign * q.x * n.z, b.y * c.w + sign * q.y * n.w);
  }
  return turned;
}

// Keys and values from `first_key` on on their way into shared memory; rows beyond the sequence are zero.
template <bool kRope>
__device__ void LoadKeys(const Sequence& s, const Rotation& rope, int first_key, BF16* keys, BF16* values) {
  for (int i = threadIdx.x; i < kKeys * 8; i += blockDim.x) {
    const int row = i / 8, column = i % 8 * 8;
    const int token = min(first_key + row, s.length - 1);
    const bool present = first_key + row < s.length;
    const BF16* from = s.qkv + int64_t{token} * s.row + column;
    CopyAsync(values + row * kStride + column, from + 2 * s.dim, present);
    if constexpr (!kRope) CopyAsync(keys + row * kStride + column, from + s.dim, present);
  }
  if constexpr (kRope) {
#pragma unroll 2
    for (int i = threadIdx.x; i < kKeys * 2; i += blockDim.x) {
      const int row = i / 2, half = i % 2;
      const int column = half * (rope.group == 16 ? 32 : 16);  // of those that come first in their pairs
      Sixteen first{}, second{};
      if (first_key + row < s.length) {
        const BF16* from = s.qkv + int64_t{first_key + row} * s.row + s.dim + column;
        const Sixteen a = LoadSixteen(from), b = LoadSixteen(from + rope.group);
        first = Turned(rope, first_key + row, half * 16, a, b, true);
        second = Turned(rope, first_key + row, half * 16, b, a, false);
      }
      StoreSixteen(first, keys + row * kStride + column);
      StoreSixteen(second, keys + row * kStride + column + rope.group);
    }
  }
}

// Elements 16·quarter … of query `token`, turned. All lanes of a warp take part; those of one token are
// neighbours.
template <bool kRope>
__device__ Sixteen LoadQuery(const Sequence& s, const Rotation& rope, int token, int quarter) {
  token = min(token, s.length - 1);
  const Sixteen query = LoadSixteen(s.qkv + int64_t{token} * s.row + 16 * quarter);
  if constexpr (!kRope) return query;
  const int distance = rope.group / 16;  // to the lane that holds the partners
  Sixteen partners;
#pragma unroll
  for (int i = 0; i < 8; ++i) partners.pairs[i] = __shfl_xor_sync(kAllLanes, query.pairs[i], distance);
  const int first_pair = rope.group == 16 ? quarter / 2 * 16 : quarter % 2 * 16;
  return Turned(rope, token, first_pair, query, partners, (quarter & distance) == 0);
}

__device__ float PowerOfTwo(float exponent) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return power;
}

template <typename Out>
__device__ void StorePair(float low, float high, float scale, Out* to);
template <>
__device__ void StorePair<BF16>(float low, float high, float /*scale*/, BF16* to) {
  *reinterpret_cast<uint32_t*>(to) = Pack(low, high);
}
template <>
__device__ void StorePair<FP8>(float low, float high, float scale, FP8* to) {
  *reinterpret_cast<__nv_fp8x2_e4m3*>(to) = __nv_fp8x2_e4m3(float2{low * scale, high * scale});
}

// Grid: blocks of queries, heads, sequences. Products of queries and keys may take the elements of a head in
// any order, so that lane l takes elements 16·(l % 4) … of its rows: whole vectors of memory.
template <bool kRope, typename Out>
__global__ void __launch_bounds__(kMostWarps* kWarp, 2)
    HeadsOf64(const BF16* qkv, int length, int heads, Rotation rope, Out* out, const float* inverse_scale) {
  extern __shared__ __align__(16) BF16 shared[];
  BF16* keys = shared;
  BF16* values = shared + kKeys * kStride;
  const int dim = heads * kHead;
  const int64_t first_row = int64_t{blockIdx.z} * length;
  const Sequence s{qkv + first_row * 3 * dim + blockIdx.y * kHead, 3 * dim, dim, length};
  const int lane = threadIdx.x % kWarp;
  const int first_query =
      static_cast<int>(blockIdx.x * (blockDim.x / kWarp) + threadIdx.x / kWarp) * kWarpRows;
  const int group = lane / 4, quarter = lane % 4;
  LoadKeys<kRope>(s, rope, 0, keys, values);

  uint32_t queries[2][4][4];  // tiles, sixteenths of the head
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Sixteen query = LoadQuery<kRope>(s, rope, first_query + m * 16 + half * 8 + group, quarter);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        queries[m][k][half] = query.pairs[2 * k];
        queries[m][k][2 + half] = query.pairs[2 * k + 1];
      }
    }
  }

  constexpr float kLog2Scale = 0.125F * 1.4426950408889634F;  // 1/√64, and exponents of 2
  float sums[2][8][4] = {};
  float largest[2][2], totals[2][2];
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    largest[m][0] = largest[m][1] = -INFINITY;
    totals[m][0] = totals[m][1] = 0.0F;
  }
  for (int first_key = 0; first_key < length; first_key += kKeys) {
    if (first_key > 0) {
      __syncthreads();
      LoadKeys<kRope>(s, rope, first_key, keys, values);
    }
    WaitForCopies();
    __syncthreads();
    const int present = min(kKeys, length - first_key);
    for (int key = 0; key < present; key += 16) {
      float scores[2][2][4] = {};  // tiles of queries, tiles of 8 keys
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const Sixteen b = LoadSixteen(keys + (key + n * 8 + group) * kStride + 16 * quarter);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
          for (int m = 0; m < 2; ++m)
            MultiplyAdd(queries[m][k], b.pairs[2 * k], b.pairs[2 * k + 1], scores[m][n]);
        }
      }
      if (key + 16 > present) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            if (key + n * 8 + 2 * quarter + i % 2 < present) continue;
            scores[0][n][i] = scores[1][n][i] = -INFINITY;
          }
        }
      }
      uint32_t weights[2][4];
#pragma unroll
      for (int m = 0; m < 2; ++m) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float top = fmaxf(fmaxf(scores[m][0][2 * half], scores[m][0][2 * half + 1]),
                            fmaxf(scores[m][1][2 * half], scores[m][1][2 * half + 1]));
          top = fmaxf(top, __shfl_xor_sync(kAllLanes, top, 1));
          top = fmaxf(top, __shfl_xor_sync(kAllLanes, top, 2)) * kLog2Scale;
          // Sums are rescaled only where a larger score has come.
          if (__any_sync(kAllLanes, top > largest[m][half])) {
            const float risen = fmaxf(top, largest[m][half]);
            const float factor = PowerOfTwo(largest[m][half] - risen);
            largest[m][half] = risen;
            totals[m][half] *= factor;
#pragma unroll
            for (int n = 0; n < 8; ++n) {
              sums[m][n][2 * half] *= factor;
              sums[m][n][2 * half + 1] *= factor;
            }
          }
#pragma unroll
          for (int n = 0; n < 2; ++n) {
            const float low = PowerOfTwo(scores[m][n][2 * half] * kLog2Scale - largest[m][half]);
            const float high = PowerOfTwo(scores[m][n][2 * half + 1] * kLog2Scale - largest[m][half]);
            totals[m][half] += low + high;
            weights[m][2 * n + half] = Pack(low, high);
          }
        }
      }
#pragma unroll
      for (int n = 0; n < 8; n += 2) {
        uint32_t b[4];
        LoadTilesTransposed(values + (key + lane % 16) * kStride + n * 8 + lane / 16 * 8, b);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          MultiplyAdd(weights[m], b[0], b[1], sums[m][n]);
          MultiplyAdd(weights[m], b[2], b[3], sums[m][n + 1]);
        }
      }
    }
  }

  const float scale = ScaleOf(inverse_scale);
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float total = totals[m][half];
      total += __shfl_xor_sync(kAllLanes, total, 1);
      total += __shfl_xor_sync(kAllLanes, total, 2);
      const int query = first_query + m * 16 + group + half * 8;
      if (query >= length) continue;
      Out* to = out + (first_row + query) * dim + blockIdx.y * kHead + 2 * quarter;
      const float factor = 1.0F / total;
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        StorePair(sums[m][n][2 * half] * factor, sums[m][n][2 * half + 1] * factor, scale, to + n * 8);
      }
    }
  }
}

// Any head: one block per query, scores in shared memory, each turned key computed anew.
template <typename Out>
__global__ void AnyHeads(const BF16* qkv, int length, int heads, int head_size, Rotation rope, Out* out,
                         const float* inverse_scale) {
  extern __shared__ __align__(16) float scores[];
  __shared__ float partial[kWarp];
  const int dim = heads * head_size;
  const int64_t first_row = int64_t{blockIdx.z} * length;
  const BF16* head = qkv + first_row * 3 * dim + blockIdx.y * head_size;
  const auto element = [&](int token, int offset, int c) {
    const BF16* from = head + int64_t{token} * 3 * dim + offset;
    if (rope.cos == nullptr || token < rope.skip) return static_cast<float>(from[c]);
    const int in_group = c % (2 * rope.group);
    const bool is_first = in_group < rope.group;
    const int pair = c / (2 * rope.group) * rope.group + in_group % rope.group;
    const int64_t at = int64_t{token - rope.skip} * (head_size / 2) + pair;
    const auto other = static_cast<float>(from[is_first ? c + rope.group : c - rope.group]);
    const float turned =
        static_cast<float>(from[c]) * rope.cos[at] + (is_first ? -other : other) * rope.sin[at];
    return __bfloat162float(__float2bfloat16_rn(turned));
  };
  const auto across_block = [&](float value, auto join, float nothing) {
    for (int step = kWarp / 2; step > 0; step /= 2)
      value = join(value, __shfl_xor_sync(kAllLanes, value, step));
    __syncthreads();
    if (threadIdx.x % kWarp == 0) partial[threadIdx.x / kWarp] = value;
    __syncthreads();
    value = nothing;
    for (int i = 0; i < blockDim.x / kWarp; ++i) value = join(value, partial[i]);
    return value;
  };
  const int query = static_cast<int>(blockIdx.x);
  float largest = -INFINITY;
  for (int key = threadIdx.x; key < length; key += blockDim.x) {
    float sum = 0.0F;
    for (int c = 0; c < head_size; ++c) sum += element(query, 0, c) * element(key, dim, c);
    scores[key] = sum * rsqrtf(static_cast<float>(head_size));
    largest = fmaxf(largest, scores[key]);
  }
  largest = across_block(
      largest, [](float a, float b) { return fmaxf(a, b); }, -INFINITY);
  float total = 0.0F;
  for (int key = threadIdx.x; key < length; key += blockDim.x) {
    scores[key] = __expf(scores[key] - largest);
    total += scores[key];
  }
  total = across_block(
      total, [](float a, float b) { return a + b; }, 0.0F);
  const float scale = ScaleOf(inverse_scale);
  for (int c = threadIdx.x; c < head_size; c += blockDim.x) {
    float sum = 0.0F;
    for (int key = 0; key < length; ++key) {
      sum += scores[key] * static_cast<float>(head[int64_t{key} * 3 * dim + 2 * dim + c]);
    }
    out[(first_row + query) * dim + blockIdx.y * head_size + c] = Round<Out>(sum / total, scale);
  }
}

// A kernel needs this to use more than 48 KB of shared memory.
template <typename Kernel>
void AllowShared(Kernel* kernel, int bytes) {
  CheckCuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
            "asking for shared memory");
}

template <typename Out>
void Launch(const SpatialArguments& a, cudaStream_t stream) {
  const auto* qkv = static_cast<const BF16*>(a.qkv);
  auto* out = static_cast<Out*>(a.out.data);
  const Rotation rope{a.rope_cos, a.rope_sin, a.rope_skip, a.rope_group};
  const auto heads = static_cast<unsigned>(a.heads), batch = static_cast<unsigned>(a.batch);
  const bool known_rope = a.rope_cos == nullptr || a.rope_group == 16 || a.rope_group == 32;
  if (a.head_size == kHead && known_rope) {
    // One block per sequence and head loads keys once; where that leaves processors idle, two or more do.
    const int tiles = (a.length + kWarpRows - 1) / kWarpRows;
    const int warps = std::min(tiles, a.batch * a.heads < 128 ? 4 : kMostWarps);
    const dim3 grid(static_cast<unsigned>((tiles + warps - 1) / warps), heads, batch);
    const auto kernel = a.rope_cos != nullptr ? HeadsOf64<true, Out> : HeadsOf64<false, Out>;
    AllowShared(kernel, kShared);
    kernel<<<grid, static_cast<unsigned>(warps * kWarp), kShared, stream>>>(qkv, a.length, a.heads, rope, out,
                                                                            a.out.inverse_scale);
  } else {
    // Whole vectors of 16 bytes: the compiler reads the last scores as one, whose rest it does not use.
    const int shared = (a.length + 3) / 4 * 4 * static_cast<int>(sizeof(float));
    AllowShared(AnyHeads<Out>, shared);
    AnyHeads<Out>
        <<<dim3(static_cast<unsigned>(a.length), heads, batch), 128, static_cast<size_t>(shared), stream>>>(
            qkv, a.length, a.heads, a.head_size, rope, out, a.out.inverse_scale);
  }
}

}  // namespace

void SpatialAttention(const SpatialArguments& arguments, cudaStream_t stream) {
  if (arguments.out.is_fp8()) {
    Launch<FP8>(arguments, stream);
  } else {
    Launch<BF16>(arguments, stream);
  }
  CheckLaunch("attending within frames");
}

}  // namespace calfvo::cuda
