// SPDX-License-Identifier: Apache-2.0
// Layer norm of 16 rows at a time. Included by kernels_amx.cc only, inside its namespace.
#pragma once

// In a panel, 16 floats of each of 16 rows lie in a row, so that is what is read at once. Where there are
// fewer rows, the first is read in the place of the others.
template <bool whole>
void PanelNorm(const NormTask& task) {
  static_assert(kLanes == kTile && MatrixLayout::kRun<float> == kTile);
  constexpr int64_t kAhead = 4;  // panels
  const int64_t cols = task.x_layout.cols;
  const bool in_rows = task.x_layout.order == MatrixOrder::kRows;
  const int64_t row_size = in_rows ? cols : kTile;
  const int64_t panel_size = in_rows ? kTile : task.x_layout.padded_rows * kTile;
  const float* const end = task.x + cols / kTile * panel_size;
  const auto row_offset = [&](int64_t row) { return whole || row < task.rows ? row * row_size : 0; };

  Vec sums[kTile] = {};
  for (const float* panel = task.x; panel < end; panel += panel_size) {
#pragma GCC unroll 16
    for (int row = 0; row < kTile; ++row) {
      __builtin_prefetch(panel + kAhead * panel_size + row_offset(row));
      sums[row] += Load(panel + row_offset(row));
    }
  }
  float means[kTile];
  Store(means, SumEach(sums) / static_cast<float>(cols));

  Vec squares[kTile] = {};
  for (const float* panel = task.x; panel < end; panel += panel_size) {
#pragma GCC unroll 16
    for (int row = 0; row < kTile; ++row) {
      const Vec deviation = Load(panel + row_offset(row)) - means[row];
      squares[row] += deviation * deviation;
    }
  }
  float scales[kTile];
  Store(scales, SumEach(squares) / static_cast<float>(cols) + task.epsilon);  // variances
  for (float& scale : scales) scale = 1.0F / __builtin_sqrtf(scale);

  auto* out = static_cast<BFloat16*>(task.out);
  const float* panel = task.x;
  for (int64_t column = 0; column < cols; column += 2 * kTile, panel += 2 * panel_size) {
    const bool both = column + kTile < cols;
    for (int64_t row = 0; row < task.rows; ++row) {
      const auto finished = [&](int64_t half) {
        const int64_t at = column + half * kTile;
        const Vec y = (Load(panel + half * panel_size + row * row_size) - means[row]) * scales[row] *
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

void AmxLayerNorm(const NormTask& task) {
  if (task.x_layout.cols % kTile != 0) {  // both matrices are in rows
    LayerNorm<BFloat16>(task);
  } else if (task.rows == kTile) {
    PanelNorm<true>(task);
  } else {
    PanelNorm<false>(task);
  }
}
