// SPDX-License-Identifier: Apache-2.0
// Where the elements of an activation in host memory are. The functions are part of every kernel that calls
// them, and never linked: see cpu/kernels_impl.h.
#pragma once

#include <cstdint>

namespace calfvo {

// Row-major or, for a product that multiplies tiles, in tiles of [16 rows][32 columns], those of the same
// rows one after the other. Either way 16 rows from a multiple of 16 on take the same place.
struct ActivationLayout {
  static constexpr int64_t kTileRows = 16;
  static constexpr int64_t kTileColumns = 32;

  int64_t cols = 0;  // whole tiles, if tiled
  bool tiled = false;

  // Of the row's first element.
  [[gnu::always_inline]] inline int64_t RowOffset(int64_t row) const {
    return tiled ? row / kTileRows * kTileRows * cols + row % kTileRows * kTileColumns : row * cols;
  }
  // Of an element from the first of its row.
  [[gnu::always_inline]] inline int64_t ColumnOffset(int64_t column) const {
    return tiled ? column / kTileColumns * kTileRows * kTileColumns + column % kTileColumns : column;
  }
  // How many elements of a row, from `column` on, lie side by side.
  [[gnu::always_inline]] inline int64_t Together(int64_t column) const {
    return tiled ? kTileColumns - column % kTileColumns : cols - column;
  }
};

}  // namespace calfvo
