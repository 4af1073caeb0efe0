// SPDX-License-Identifier: Apache-2.0
// Attention within sequences that fit in shared memory, of heads of 64 elements, in bf16, on Hopper.
//
// A block has one head of one sequence. Its queries, keys and values lie in shared memory, turned by their
// positions on the way, and so does the gradient of its outputs on the way back. Four warps together have 64
// rows at a time and take the others of the product by strips of sixteen: scores become weights and weights a
// factor of the next product without leaving their registers. Backward, four warps have keys and take all
// queries, for the gradients of keys and values, and four have queries and take all keys, for the gradient of
// queries. That computes scores twice, but no sum is shared by warps. Rows beyond the last token are zero.
// The last 64 rows may go beyond a matrix; what lies there gives rows that are not stored.
#include <cuda_pipeline.h>

#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_mma.h"
#include "network/cuda_vector.h"
#include "network/cuda_wgmma.h"
#include "network/partial_sums.h"
#include "network/quick_math.h"

namespace calfvo::train {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kHead = kAttentionHeadSize;
constexpr int kStrip = 16;               // rows of one warp, and rows that a product sums over
constexpr int kGroupRows = 4 * kStrip;   // of four warps together
constexpr int kParts = kHead / kVector;  // of a row, 16 bytes each
constexpr int kSteps = kHead / 16;       // of a product along a head
constexpr int kTiles = kHead / 8;        // of eight columns of a head
constexpr int kWarps = 8;
constexpr int kGroups = kWarps / 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kBlocks = 2;                                 // of a processor
constexpr float kScale = 0.125F;                           // 1 / √64
constexpr float kLogScale = kScale * 1.4426950408889634F;  // exp(kScale · x) = 2^(kLogScale · x)

// One head's rows in shared memory.
class Rows : public WideRows {
 public:
  __device__ explicit Rows(uint4* parts) : WideRows(SharedAddress(parts)), parts_(parts) {}

  __device__ uint4& At(int row, int part) const { return parts_[row * kParts + (part ^ row % kParts)]; }

 private:
  uint4* parts_;
};

// Which four warps, and which of them, in a form that the compiler knows to be the same for a warp.
__device__ int Group() {
  return __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / 128, 0);
}
__device__ int WarpOfGroup() {
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

__device__ void CopyRows(const Place& place, const Share& share, const Bf16* from, int64_t stride,
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
__device__ void WaitForCopies() {
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
template <>
class Turn<0> {};

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

// products [64 rows of `a` from `row` on][rows of `b` from `other` on], by eight columns.
template <int kColumns>
__device__ void StartScores(const Rows& a, int row, const Rows& b, int other,
                            float (&products)[kColumns][4]) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step)
    MultiplyAsync(products, a.From(row, step), b.From(other, step), step > 0);
}

// Weights [64][8 · kColumns] as the first factor of a product.
template <int kColumns>
struct Weights {
  uint32_t pairs[kColumns / 2][4];

  __device__ explicit Weights(const float (&weights)[kColumns][4]) {
#pragma unroll
    for (int i = 0; i < 2 * kColumns; ++i) {
      const float* tile = weights[i / 2];
      pairs[i / 4][i % 4] = PackedPair(tile[2 * (i % 2)], tile[2 * (i % 2) + 1]);
    }
  }
};

// 64 rows of a head, by eight columns.
struct Sums {
  float tiles[kTiles][4] = {};

  // Adds weights times rows from `row` on.
  template <int kColumns>
  __device__ void StartAdding(const Weights<kColumns>& weights, const Rows& rows, int row) {
#pragma unroll
    for (int strip = 0; strip < kColumns / 2; ++strip)
      AddProductAsync(tiles, weights.pairs[strip], rows.From(row + strip * kStrip));
  }

  // Multiplies the lane's upper and lower row.
  __device__ void Scale(float upper, float lower) {
#pragma unroll
    for (auto& tile : tiles) {
      tile[0] *= upper;
      tile[1] *= upper;
      tile[2] *= lower;
      tile[3] *= lower;
    }
  }

  // Turns gradients back by the positions of the rows from `first_row` on.
  template <int kGroup>
  __device__ void TurnBack(const Place& place, const Lane& lane, int first_row, const float* cos,
                           const float* sin) {
    constexpr int kApart = kGroup / 8;  // tiles of a pair
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + lane.group + 8 * half;
      if (!place.Has(row)) continue;
#pragma unroll
      for (int pair = 0; pair < kTiles / 2; ++pair) {
        const int tile = pair / kApart * 2 * kApart + pair % kApart;
        const int at = row * (kHead / 2) + 8 * pair + 2 * lane.place;
        const auto c = *reinterpret_cast<const float2*>(cos + at);
        const auto s = *reinterpret_cast<const float2*>(sin + at);
        float* u = tiles[tile] + 2 * half;
        float* v = tiles[tile + kApart] + 2 * half;
        const float2 old = {u[0], u[1]};
        u[0] = old.x * c.x + v[0] * s.x;
        u[1] = old.y * c.y + v[1] * s.y;
        v[0] = v[0] * c.x - old.x * s.x;
        v[1] = v[1] * c.y - old.y * s.y;
      }
    }
  }

  // Rows that are there, `stride` apart, of which the first is at `to`.
  __device__ void Store(const Place& place, const Lane& lane, int first_row, Bf16* to, int64_t stride) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + lane.group + 8 * half;
      Bf16* at = to + (lane.group + 8 * half) * stride + FirstOfFour(lane);
#pragma unroll
      for (int tile = 0; tile < kTiles; tile += 2) {
        const float* even = tiles[tile] + 2 * half;
        const float* odd = tiles[tile + 1] + 2 * half;
        const uint2 four = FourColumns(lane, PackedPair(even[0], even[1]), PackedPair(odd[0], odd[1]));
        if (place.Has(row)) *reinterpret_cast<uint2*>(at + 8 * tile) = four;
      }
    }
  }

  // Adds the sums over rows that are there to columns [64], which only this warp uses.
  __device__ void AddColumns(const Place& place, const Lane& lane, int first_row, float* columns) const {
    const bool upper = place.Has(first_row + lane.group);
    const bool lower = place.Has(first_row + lane.group + 8);
    float sums[2 * kTiles];
#pragma unroll
    for (int i = 0; i < 2 * kTiles; ++i)
      sums[i] = (upper ? tiles[i / 2][i % 2] : 0.0F) + (lower ? tiles[i / 2][2 + i % 2] : 0.0F);
    SplitSums<16, 4, kTiles>(sums);
    auto& two = *reinterpret_cast<float2*>(columns + 8 * lane.group + 2 * lane.place);
    two.x += sums[0];
    two.y += sums[1];
  }
};

// function.operator()<strips>(first row) for kMost strips at a time and then for one.
template <int kMost, typename Function>
__device__ void ForStrips(int rows, const Function& function) {
  int row = 0;
  for (; row + kMost * kStrip <= rows; row += kMost * kStrip) function.template operator()<kMost>(row);
  for (; row < rows; row += kStrip) function.template operator()<1>(row);
}

// Softmax of two rows, an upper and a lower one of each lane, as their scores come in. What is subtracted
// from scores need not be the largest: it is raised when one exceeds it by more than kSlack.
struct Softmax {
  static constexpr float kSlack = 8.0F / kLogScale;  // weights up to 2⁸
  float most[2] = {-INFINITY, -INFINITY};
  float totals[2] = {};  // this lane's share

  // Makes weights of scores, by eight columns, of which those from `present` on are not there, and scales
  // sums, of what was weighed before.
  template <int kColumns>
  __device__ void Weigh(const Lane& lane, int present, float (&scores)[kColumns][4], Sums& sums) {
    if (present < 8 * kColumns) {
#pragma unroll
      for (int i = 0; i < 4 * kColumns; ++i) {
        if (i / 4 * 8 + 2 * lane.place + i % 2 >= present) scores[i / 4][i % 4] = -INFINITY;
      }
    }
    float larger[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      larger[half] = scores[0][2 * half];
#pragma unroll
      for (int i = 1; i < 2 * kColumns; ++i)
        larger[half] = fmaxf(larger[half], scores[i / 2][2 * half + i % 2]);
#pragma unroll
      for (int offset = 1; offset < 4; offset *= 2)
        larger[half] = fmaxf(larger[half], __shfl_xor_sync(0xFFFFFFFFU, larger[half], offset));
    }
    const bool raise = larger[0] > most[0] + kSlack || larger[1] > most[1] + kSlack;
    if (__any_sync(0xFFFFFFFFU, raise)) {
      float factors[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float before = most[half];
        most[half] = fmaxf(before, larger[half]);
        factors[half] = PowerOfTwo((before - most[half]) * kLogScale);
        totals[half] *= factors[half];
      }
      sums.Scale(factors[0], factors[1]);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float subtract = most[half] * kLogScale;
#pragma unroll
      for (int i = 0; i < 2 * kColumns; ++i) {
        float& weight = scores[i / 2][2 * half + i % 2];
        weight = PowerOfTwo(weight * kLogScale - subtract);
        totals[half] += weight;
      }
    }
  }
};

template <int kGroup>
__global__ void __launch_bounds__(kThreads, kBlocks)
    Forward(AttentionShape shape, AttentionInputs inputs, Bf16* __restrict__ out,
            float* __restrict__ log_sums) {
  extern __shared__ __align__(1024) uint4 shared[];
  const Place place(shape);
  const Share share;
  const int rows = place.rows;
  const Rows queries(shared), keys(shared + rows * kParts), values(shared + 2 * rows * kParts);
  TakeParts<kGroup>(place, share, inputs, queries, keys, values, [] {});

  const Lane lane;
  for (int row = Group() * kGroupRows; row < rows; row += kGroups * kGroupRows) {
    Softmax softmax;
    Sums sums;
    ForStrips<4>(rows, [&]<int kStrips>(int other) {
      float scores[2 * kStrips][4];
      StartProducts();
      StartScores(queries, row, keys, other, scores);
      CommitProducts();
      WaitForProducts<0>(scores, sums.tiles);
      softmax.Weigh(lane, shape.tokens - other, scores, sums);
      const Weights weights(scores);
      StartProducts();
      sums.StartAdding(weights, values, other);
      CommitProducts();
    });
    WaitForProducts<0>(sums.tiles);
    const int first_row = row + WarpOfGroup() * kStrip;
    float inverse[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float total = LaneSum<4>(softmax.totals[half]);
      inverse[half] = 1.0F / total;
      const int at = first_row + lane.group + 8 * half;
      if (lane.place == 0 && place.Has(at))
        log_sums[place.InNumbers() + at] = softmax.most[half] * kLogScale + log2f(total);
    }
    sums.Scale(inverse[0], inverse[1]);
    sums.Store(place, lane, first_row, out + place.InOne() + first_row * place.dim(), place.dim());
  }
}

// This thread's share of the outputs, and logarithms of sums for its row's first part.
struct Outputs {
  Packed<Bf16> parts[Share::kMost];
  float log_sums[Share::kMost];

  __device__ Outputs(const Place& place, const Share& share, const AttentionInputs& inputs) {
    const int64_t first = place.InOne() + share.first_row * place.dim() + share.part * kVector;
#pragma unroll
    for (int i = 0; i < Share::kMost; ++i) {
      const int row = share.first_row + i * Share::kApart;
      if (!place.Has(row)) break;
      parts[i] = LoadPacked(static_cast<const Bf16*>(inputs.out) + first + i * Share::kApart * place.dim());
      if (share.part == 0) log_sums[i] = inputs.log_sums[place.InNumbers() + row];
    }
  }

  // Given the outputs' gradients, of which this thread has copied the same share.
  __device__ void MakeQueries(const Place& place, const Share& share, const Rows& of_out, float* to_log_sums,
                              float* products) const {
#pragma unroll
    for (int i = 0; i < Share::kMost; ++i) {
      const int row = share.first_row + i * Share::kApart;
      if (row >= place.rows) break;
      float product = 0.0F;
      if (place.Has(row))
        product = Dot(Unpacked(parts[i]), Unpacked(Packed<Bf16>{of_out.At(row, share.part)}));
      product = LaneSum<kParts>(product);
      if (share.part == 0) {
        to_log_sums[row] = place.Has(row) ? log_sums[i] : INFINITY;  // weights of the others become zero
        products[row] = product;
      }
    }
  }
};

// Weights of scores, by eight columns, given the logarithms of their columns' sums, of this lane's first on.
template <int kColumns>
__device__ void WeighColumns(float (&scores)[kColumns][4], const float* log_sums) {
#pragma unroll
  for (int tile = 0; tile < kColumns; ++tile) {
    const auto two = *reinterpret_cast<const float2*>(log_sums + 8 * tile);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float& x = scores[tile][i];
      x = PowerOfTwo(x * kLogScale - (i % 2 == 0 ? two.x : two.y));
    }
  }
}

template <int kGroup>
__global__ void __launch_bounds__(kThreads, kBlocks)
    Backward(AttentionShape shape, AttentionInputs inputs, AttentionGradients gradients) {
  extern __shared__ __align__(1024) uint4 shared[];
  const Place place(shape);
  const Share share;
  const int row_count = place.rows;
  const Rows queries(shared), keys(shared + row_count * kParts), values(shared + 2 * row_count * kParts),
      of_out(shared + 3 * row_count * kParts);
  // Of every query the logarithm of the sum of its weights, and the product of its output and that output's
  // gradient.
  auto* log_sums = reinterpret_cast<float*>(shared + 4 * row_count * kParts);
  float* products = log_sums + row_count;
  float* columns = products + row_count;  // [warps][3][64]
  const Outputs outputs(place, share, inputs);
  CopyRows(place, share, static_cast<const Bf16*>(gradients.of_out) + place.InOne(), place.dim(), of_out);
  for (int i = static_cast<int>(threadIdx.x); i < kWarps * 3 * kHead; i += kThreads) columns[i] = 0.0F;
  TakeParts<kGroup>(place, share, inputs, queries, keys, values,
                    [&] { outputs.MakeQueries(place, share, of_out, log_sums, products); });

  const Lane lane;
  float* warp_columns = columns + static_cast<int>(threadIdx.x) / 32 * 3 * kHead;
  // Queries, keys or values: part 0, 1, 2.
  const auto finish = [&](Sums& sums, int row, int part) {
    const int first_row = row + WarpOfGroup() * kStrip;
    if (!place.Has(first_row)) return;
    if (part < 2) sums.Scale(kScale, kScale);
    if constexpr (kGroup > 0) {
      if (part < 2) sums.TurnBack<kGroup>(place, lane, first_row, inputs.cos, inputs.sin);
    }
    const int64_t stride = 3 * place.dim();
    sums.Store(place, lane, first_row,
               static_cast<Bf16*>(gradients.of_qkv) + place.InThree(part) + first_row * stride, stride);
    sums.AddColumns(place, lane, first_row, warp_columns + part * kHead);
  };

  // `scores` become weights, `of_scores` are the gradients of weights and become those of scores.
  const auto take_queries = [&](int row) {
    const int first_row = row + WarpOfGroup() * kStrip;
    const bool has_rows = place.Has(first_row);
    const int upper = (has_rows ? first_row : 0) + lane.group;
    const float sums_of[2] = {log_sums[upper], log_sums[upper + 8]};
    const float products_of[2] = {products[upper], products[upper + 8]};
    Sums of_query;
    ForStrips<2>(row_count, [&]<int kStrips>(int other) {
      float scores[2 * kStrips][4], of_scores[2 * kStrips][4];
      StartProducts();
      StartScores(queries, row, keys, other, scores);
      CommitProducts();
      StartScores(of_out, row, values, other, of_scores);
      CommitProducts();
      WaitForProducts<1>(scores);
      if (has_rows) {
#pragma unroll
        for (int i = 0; i < 8 * kStrips; ++i) {
          float& x = scores[i / 4][i % 4];
          x = PowerOfTwo(x * kLogScale - sums_of[i / 2 % 2]);
        }
      }
      WaitForProducts<0>(of_scores);
      if (has_rows) {
#pragma unroll
        for (int i = 0; i < 8 * kStrips; ++i) {
          float& x = of_scores[i / 4][i % 4];
          x = scores[i / 4][i % 4] * (x - products_of[i / 2 % 2]);
        }
      }
      const Weights factor(of_scores);
      StartProducts();
      of_query.StartAdding(factor, keys, other);
      CommitProducts();
    });
    WaitForProducts<0>(of_query.tiles);
    finish(of_query, row, 0);
  };
  const auto take_keys = [&](int row) {
    const bool has_rows = place.Has(row + WarpOfGroup() * kStrip);
    Sums of_key, of_value;
    ForStrips<2>(row_count, [&]<int kStrips>(int other) {
      float scores[2 * kStrips][4], of_scores[2 * kStrips][4];
      StartProducts();
      StartScores(keys, row, queries, other, scores);
      CommitProducts();
      StartScores(values, row, of_out, other, of_scores);
      CommitProducts();
      WaitForProducts<1>(scores);
      if (has_rows) WeighColumns(scores, log_sums + other + 2 * lane.place);
      WaitForProducts<0>(of_scores);
      if (has_rows) {
#pragma unroll
        for (int tile = 0; tile < 2 * kStrips; ++tile) {
          const auto two = *reinterpret_cast<const float2*>(products + other + 8 * tile + 2 * lane.place);
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            float& x = of_scores[tile][i];
            x = scores[tile][i] * (x - (i % 2 == 0 ? two.x : two.y));
          }
        }
      }
      const Weights weights(scores);
      const Weights factor(of_scores);
      StartProducts();
      of_value.StartAdding(weights, of_out, other);
      of_key.StartAdding(factor, queries, other);
      CommitProducts();
    });
    WaitForProducts<0>(of_key.tiles, of_value.tiles);
    finish(of_key, row, 1);
    finish(of_value, row, 2);
  };
  // Where two gradients are summed it takes more registers.
  if (Group() == 0) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 152;");
    for (int row = 0; row < row_count; row += kGroupRows) take_keys(row);
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 104;");
    for (int row = 0; row < row_count; row += kGroupRows) take_queries(row);
  }

  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 3 * kHead; i += kThreads) {
    float sum = 0.0F;
    for (int w = 0; w < kWarps; ++w) sum += columns[w * 3 * kHead + i];
    gradients.partial[(place.sequence * 3 + i / kHead) * place.dim() + place.head * kHead + i % kHead] = sum;
  }
}

// function.operator()<group>() with the shape's group.
template <typename Function>
void WithGroup(const AttentionShape& shape, const Function& function) {
  switch (shape.group) {
    case 0:
      return function.template operator()<0>();
    case 16:
      return function.template operator()<16>();
    case 32:
      return function.template operator()<32>();
    default:
      throw Error("attention: positions turn pairs of elements 16 or 32 apart");
  }
}

// As many as whole strips have.
size_t RowCount(const AttentionShape& shape) {
  return static_cast<size_t>(shape.tokens + kStrip - 1) / kStrip * kStrip;
}

template <typename Kernel, typename... Arguments>
void Launch(Kernel kernel, const AttentionShape& shape, size_t matrices, size_t more_bytes, CudaStream stream,
            Arguments... arguments) {
  const size_t matrix = RowCount(shape) * kHead * sizeof(Bf16);
  // The last 64 rows of the last matrix are read to their end.
  const size_t bytes = matrices * matrix + std::max(more_bytes, kGroupRows * kHead * sizeof(Bf16));
  const cudaError_t status =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (status != cudaSuccess) throw Error(std::string("attention: ") + cudaGetErrorString(status));
  const auto blocks = static_cast<unsigned>(shape.sequences * shape.heads);
  if (blocks > 0) kernel<<<blocks, kThreads, bytes, stream>>>(shape, arguments...);
}

}  // namespace

void AttentionForward(const AttentionShape& shape, const AttentionInputs& inputs, void* out, float* log_sums,
                      CudaStream stream) {
  WithGroup(shape, [&]<int kGroup>() {
    Launch(Forward<kGroup>, shape, 3, 0, stream, inputs, static_cast<Bf16*>(out), log_sums);
  });
  CheckLaunch("attention");
}

void AttentionBackward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionGradients& gradients, CudaStream stream) {
  const size_t more_bytes = RowCount(shape) * 2 * sizeof(float) + kWarps * 3 * kHead * sizeof(float);
  WithGroup(shape,
            [&]<int kGroup>() { Launch(Backward<kGroup>, shape, 4, more_bytes, stream, inputs, gradients); });
  SumPartials(static_cast<int>(shape.sequences), 3 * shape.heads * kHead, gradients.partial,
              gradients.of_bias, stream);
  CheckLaunch("the gradient of attention");
}

}  // namespace calfvo::train
