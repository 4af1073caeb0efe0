// SPDX-License-Identifier: Apache-2.0
// Layer norm of a stream in panels, 16 rows at a time. Included by kernels_amx.cc only, inside its namespace.
#pragma once

// 16 floats of each of 16 rows lie in a row, so that is what is read at once; rows that are not there are
// read, but not written.
void AmxLayerNorm(const NormTask& task) {
  if (task.x_layout.order == MatrixOrder::kRows) return LayerNorm<BFloat16>(task);
  static_assert(kLanes == kTile && MatrixLayout::kRun<float> == kTile);
  constexpr int64_t kAhead = 4;  // panels
  const int64_t cols = task.x_layout.cols;
  const int64_t panel_size = task.x_layout.room * kTile;
  const float* const end = task.x + cols / kTile * panel_size;

  Vec sums[kTile] = {};
  for (const float* panel = task.x; panel < end; panel += panel_size) {
#pragma GCC unroll 16
    for (int row = 0; row < kTile; ++row) {
      __builtin_prefetch(panel + kAhead * panel_size + row * kTile);
      sums[row] += Load(panel + row * kTile);
    }
  }
  float means[kTile];
  Store(means, SumEach(sums) / static_cast<float>(cols));

  Vec squares[kTile] = {};
  for (const float* panel = task.x; panel < end; panel += panel_size) {
#pragma GCC unroll 16
    for (int row = 0; row < kTile; ++row) {
      const Vec deviation = Load(panel + row * kTile) - means[row];
      squares[row] += deviation * deviation;
    }
  }
  float scales[kTile];
  const Vec variances = SumEach(squares) / static_cast<float>(cols) + task.epsilon;
  Store(scales, 1.0F / reinterpret_cast<Vec>(_mm512_sqrt_ps(reinterpret_cast<__m512>(variances))));

  auto* out = static_cast<BFloat16*>(task.out);
  const float* panel = task.x;
  for (int64_t column = 0; column < cols; column += 2 * kTile, panel += 2 * panel_size) {
    const bool both = column + kTile < cols;
    for (int64_t row = 0; row < task.rows; ++row) {
      const auto finished = [&](int64_t half) {
        const int64_t at = column + half * kTile;
        const Vec y = (Load(panel + half * panel_size + row * kTile) - means[row]) * scales[row] *
                          Load(task.gain + at) +
                      Load(task.bias + at);
        return task.gelu ? Gelu(y, out) : y;
      };
      BFloat16* to =
          out + task.out_layout.RowOffset<BFloat16>(row) + task.out_layout.ColumnOffset<BFloat16>(column);
      if (both) {
        StoreElements(to, ToElements(finished(0), finished(1)));
      } else {
        Store(to, finished(0));
      }
    }
  }
}
