// SPDX-License-Identifier: Apache-2.0
// The products of attention within sequences that fit in shared memory, of heads of 64 elements, in bf16, on
// Hopper. Included by attention_*.cu only.
//
// A block has one head of one sequence. Its queries, keys and values lie in shared memory, turned by their
// positions on the way, and so does the gradient of its outputs on the way back. Four warps together have 64
// rows at a time and take the others of the product by strips of sixteen: scores become weights and weights a
// factor of the next product without leaving their registers. Backward, four warps have keys and take all
// queries, for the gradients of keys and values, and four have queries and take all keys, for the gradient of
// queries. That computes scores twice, but no sum is shared by warps. Rows beyond the last token are zero.
// The last 64 rows may go beyond a matrix; what lies there gives rows that are not stored.
#pragma once

#include "network/attention_head.h"

namespace calfvo::train::attention {

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

}  // namespace calfvo::train::attention
