// SPDX-License-Identifier: Apache-2.0
// Where the elements of an activation in host memory are. The functions are part of every kernel that calls
// them, and never linked: see cpu/kernels_impl.h.
#pragma once

#include <cstdint>

namespace calfvo {

// Row-major or, for a product that multiplies tiles, in tiles of [16 rows][32 columns]. Tiles of the same
// rows and of the same part of 1024 columns lie one after the other, then come those of the next 16 rows, and
// after all rows the next part. A product takes so many columns at a time, and their rows stay close
// together: rows that are a large power of two apart would compete for the same places of a cache.
struct ActivationLayout {
  static constexpr int64_t kTileRows = 16;
  static constexpr int64_t kTileColumns = 32;
  static constexpr int64_t kPartColumns = 1024;

  // Whether a matrix so wide can be in tiles.
  [[gnu::always_inline]] static inline bool IsWhole(int64_t cols) {
    return cols % (cols < kPartColumns ? kTileColumns : kPartColumns) == 0;
  }

  int64_t cols = 0;
  bool tiled = false;
  int64_t part_size = 0;  // elements, if tiled

  // Elements per row from one of rows 0, 16, 32, … to another.
  [[gnu::always_inline]] inline int64_t row_size() const {
    return tiled && cols > kPartColumns ? kPartColumns : cols;
  }
  // Of the row's first element.
  [[gnu::always_inline]] inline int64_t RowOffset(int64_t row) const {
    const int64_t in_group = tiled ? row % kTileRows : 0;
    return (row - in_group) * row_size() + in_group * kTileColumns;
  }
  // Of an element from the first of its row.
  [[gnu::always_inline]] inline int64_t ColumnOffset(int64_t column) const {
    if (!tiled) return column;
    return column / kPartColumns * part_size +
           column % kPartColumns / kTileColumns * kTileRows * kTileColumns + column % kTileColumns;
  }
  // How many elements of a row, from `column` on, lie side by side.
  [[gnu::always_inline]] inline int64_t Together(int64_t column) const {
    return tiled ? kTileColumns - column % kTileColumns : cols - column;
  }
};

}  // namespace calfvo
