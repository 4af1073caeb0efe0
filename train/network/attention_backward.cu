// SPDX-License-Identifier: Apache-2.0
// Attention's gradient, see attention_products.h.
#include "network/attention_launch.h"
#include "network/attention_products.h"
#include "network/partial_sums.h"
#include "network/quick_math.h"

namespace calfvo::train {
namespace attention {
namespace {

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

// Queries and the gradients of their outputs, or keys and values.
struct Sides {
  const Rows& of_scores;
  const Rows& of_gradients;
};
// The scores, and after them the gradients of their weights.
template <int kColumns>
__device__ void StartBoth(const Sides& a, int row, const Sides& b, int other, float (&scores)[kColumns][4],
                          float (&gradients)[kColumns][4]) {
  StartProducts();
  StartScores(a.of_scores, row, b.of_scores, other, scores);
  CommitProducts();
  StartScores(a.of_gradients, row, b.of_gradients, other, gradients);
  CommitProducts();
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
      StartBoth({queries, of_out}, row, {keys, values}, other, scores, of_scores);
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
      StartBoth({keys, values}, row, {queries, of_out}, other, scores, of_scores);
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

}  // namespace
}  // namespace attention

void AttentionBackward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionGradients& gradients, CudaStream stream) {
  const size_t more_bytes = attention::RowCount(shape) * 2 * sizeof(float) +
                            attention::kWarps * 3 * kAttentionHeadSize * sizeof(float);
  attention::WithGroup(shape, [&]<int kGroup>() {
    attention::Launch(attention::Backward<kGroup>, shape, 4, more_bytes, stream, inputs, gradients);
  });
  SumPartials(static_cast<int>(shape.sequences), 3 * shape.heads * kAttentionHeadSize, gradients.partial,
              gradients.of_bias, stream);
  CheckLaunch("the gradient of attention");
}

}  // namespace calfvo::train
