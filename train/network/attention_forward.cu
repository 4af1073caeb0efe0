// SPDX-License-Identifier: Apache-2.0
// Attention with a running softmax, see attention_products.h.
#include "network/attention_launch.h"
#include "network/attention_products.h"
#include "network/quick_math.h"

namespace calfvo::train {
namespace attention {
namespace {

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

}  // namespace
}  // namespace attention

void AttentionForward(const AttentionShape& shape, const AttentionInputs& inputs, void* out, float* log_sums,
                      CudaStream stream) {
  attention::WithGroup(shape, [&]<int kGroup>() {
    attention::Launch(attention::Forward<kGroup>, shape, 3, 0, stream, inputs,
                      static_cast<attention::Bf16*>(out), log_sums);
  });
  CheckLaunch("attention");
}

}  // namespace calfvo::train
