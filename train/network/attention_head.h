// SPDX-License-Identifier: Apache-2.0
// One head of a sequence in shared memory, and how it gets there. Included by attention_*.cu only.
#pragma once

#include <cuda_pipeline.h>

#include "network/cuda_kernels.h"
#include "network/cuda_mma.h"
#include "network/cuda_vector.h"
#include "network/cuda_wgmma.h"

namespace calfvo::train::attention {

using Bf16 = __nv_bfloat16;

inline constexpr int kHead = kAttentionHeadSize;
inline constexpr int kStrip = 16;               // rows of one warp, and rows that a product sums over
inline constexpr int kGroupRows = 4 * kStrip;   // of four warps together
inline constexpr int kParts = kHead / kVector;  // of a row, 16 bytes each
inline constexpr int kSteps = kHead / 16;       // of a product along a head
inline constexpr int kTiles = kHead / 8;        // of eight columns of a head
inline constexpr int kWarps = 8;
inline constexpr int kGroups = kWarps / 4;
inline constexpr int kThreads = 32 * kWarps;
inline constexpr int kBlocks = 2;                                 // of a processor
inline constexpr float kScale = 0.125F;                           // 1 / √64
inline constexpr float kLogScale = kScale * 1.4426950408889634F;  // exp(kScale · x) = 2^(kLogScale · x)

// One head's rows in shared memory.
class Rows : public WideRows {
 public:
  __device__ explicit Rows(uint4* parts) : WideRows(SharedAddress(parts)), parts_(parts) {}

  __device__ uint4& At(int row, int part) const { return parts_[row * kParts + (part ^ row % kParts)]; }

 private:
  uint4* parts_;
};

// Which four warps, and which of them, in a form that the compiler knows to be the same for a warp.
inline __device__ int Group() {
  return __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / 128, 0);
}
inline __device__ int WarpOfGroup() {
  return __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / 32 % 4, 0);
}

// What a block finds where.
struct Place {
  AttentionShape shape;
  int64_t sequence;
  int head;
  int rows;  // of whole strips

  __device__ explicit Place(const AttentionShape& of)
      : shape(of),
        sequence(blockIdx.x / of.heads),
        head(static_cast<int>(blockIdx.x % of.heads)),
        rows((of.tokens + kStrip - 1) / kStrip * kStrip) {}

  __device__ int64_t dim() const { return int64_t{shape.heads} * kHead; }
  // The head's first row of a matrix [sequences, tokens, dim], and of part `part` of one [.., 3, dim].
  __device__ int64_t InOne() const { return sequence * shape.tokens * dim() + head * kHead; }
  __device__ int64_t InThree(int part) const {
    return (sequence * shape.tokens * 3 + part) * dim() + head * kHead;
  }
  // The head's first number of [sequences, heads, tokens].
  __device__ int64_t InNumbers() const { return (sequence * shape.heads + head) * shape.tokens; }
  __device__ bool Has(int row) const { return row < shape.tokens; }
};

// Every thread has the same part of every 32nd row, wherever rows are copied.
struct Share {
  static constexpr int kApart = kThreads / kParts;
  static constexpr int kMost = (kMaxAttentionTokens + kApart - 1) / kApart;
  int part;
  int first_row;

  __device__ Share()
      : part(static_cast<int>(threadIdx.x) % kParts), first_row(static_cast<int>(threadIdx.x) / kParts) {}
};

inline __device__ void CopyRows(const Place& place, const Share& share, const Bf16* from, int64_t stride,
                                const Rows& to) {
  const Bf16* at = from + share.first_row * stride + share.part * kVector;
  uint4* shared = &to.At(share.first_row, share.part);
#pragma unroll
  for (int i = 0; i < Share::kMost; ++i) {
    const int row = share.first_row + i * Share::kApart;
    if (row >= place.rows) break;
    const bool there = place.Has(row);
    __pipeline_memcpy_async(shared + i * Share::kApart * kParts, there ? at : from, sizeof(uint4),
                            there ? 0 : sizeof(uint4));
    at += Share::kApart * stride;
  }
}

// What this thread has copied is there.
inline __device__ void WaitForCopies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

// Turns queries and keys by their positions. Every thread has the same eight pairs of every 64th row: a part
// and the one that it is turned with.
template <int kGroup>
class Turn {
 public:
  __device__ Turn()
      : first_row_(static_cast<int>(threadIdx.x) / kPerRow),
        pair_(static_cast<int>(threadIdx.x) % kPerRow * kVector) {
    constexpr int kParted = kGroup / kVector;
    part_ = pair_ / kGroup * 2 * kParted + pair_ % kGroup / kVector;
  }

  __device__ void Copy(const Place& place, const Bf16* from, int64_t stride, const Rows& to) const {
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const int row = first_row_ + i * kApart;
      if (row >= place.rows) break;
      const bool there = place.Has(row);
      const Bf16* at = from + (there ? row * stride : 0) + part_ * kVector;
      const size_t zeros = there ? 0 : sizeof(uint4);
      __pipeline_memcpy_async(&to.At(row, part_), at, sizeof(uint4), zeros);
      __pipeline_memcpy_async(&to.At(row, Other()), at + kGroup, sizeof(uint4), zeros);
    }
  }

  __device__ void LoadAngles(const Place& place, const float* cos, const float* sin) {
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const int row = first_row_ + i * kApart;
      if (!place.Has(row)) break;
      cos_[i] = LoadPacked(cos + row * kPairs + pair_);
      sin_[i] = LoadPacked(sin + row * kPairs + pair_);
    }
  }

  // What this thread has copied.
  __device__ void Apply(const Place& place, const Rows& rows) const {
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const int row = first_row_ + i * kApart;
      if (!place.Has(row)) break;
      const Vector x = Unpacked(Packed<Bf16>{rows.At(row, part_)});
      const Vector y = Unpacked(Packed<Bf16>{rows.At(row, Other())});
      const Vector c = Unpacked(cos_[i]);
      const Vector s = Unpacked(sin_[i]);
      Vector u, v;
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
        u.v[e] = x.v[e] * c.v[e] - y.v[e] * s.v[e];
        v.v[e] = y.v[e] * c.v[e] + x.v[e] * s.v[e];
      }
      Store8(reinterpret_cast<Bf16*>(&rows.At(row, part_)), u);
      Store8(reinterpret_cast<Bf16*>(&rows.At(row, Other())), v);
    }
  }

 private:
  static constexpr int kPairs = kHead / 2;
  static constexpr int kPerRow = kPairs / kVector;
  static constexpr int kApart = kThreads / kPerRow;
  static constexpr int kMost = (kMaxAttentionTokens + kApart - 1) / kApart;

  __device__ int Other() const {
    return part_ + kGroup / kVector;
  }

  int first_row_;
  int pair_;
  int part_;
  Packed<float> cos_[kMost], sin_[kMost];
};

// Copies queries, keys and values, of qkv [sequences, tokens, 3, heads, 64], and turns what has positions,
// for all threads; `besides` runs when this thread's copies are there.
template <int kGroup, typename Function>
__device__ void TakeParts(const Place& place, const Share& share, const AttentionInputs& inputs,
                          const Rows& queries, const Rows& keys, const Rows& values,
                          const Function& besides) {
  const auto* qkv = static_cast<const Bf16*>(inputs.qkv);
  const int64_t stride = 3 * place.dim();
  CopyRows(place, share, qkv + place.InThree(2), stride, values);
  if constexpr (kGroup > 0) {
    Turn<kGroup> turn;
    turn.Copy(place, qkv + place.InThree(0), stride, queries);
    turn.Copy(place, qkv + place.InThree(1), stride, keys);
    turn.LoadAngles(place, inputs.cos, inputs.sin);
    WaitForCopies();
    turn.Apply(place, queries);
    turn.Apply(place, keys);
  } else {
    CopyRows(place, share, qkv + place.InThree(0), stride, queries);
    CopyRows(place, share, qkv + place.InThree(1), stride, keys);
    WaitForCopies();
  }
  besides();
  ShareWithProducts();
  __syncthreads();
}

}  // namespace calfvo::train::attention
