// SPDX-License-Identifier: Apache-2.0
// Where the elements of a matrix in host memory are. The functions are always inlined: kernels compiled for
// different instruction sets call them (cpu/kernels_impl.h).
#pragma once

#include <cstdint>

namespace calfvo {

enum class MatrixOrder {
  kRows,    // one row after the other
  kPanels,  // 64 bytes of each row, then the next 64 bytes of each row
  // Tiles of 16 rows by 64 bytes, in parts of up to eight tiles side by side: the first part of every 16
  // rows, then the second part of every 16 rows.
  kTiles,
};

// A product on tiles computes a few columns of all rows at a time, so it writes panels in memory order. It
// reads along rows, so it reads tiles in memory order. Parts of eight tiles are the compromise for matrices
// that one product writes and another reads.
struct MatrixLayout {
  static constexpr int64_t kTileRows = 16;
  static constexpr int64_t kPartTiles = 8;
  // Elements of a panel's or a tile's row.
  template <typename Element>
  static constexpr int64_t kRun = 64 / static_cast<int64_t>(sizeof(Element));

  int64_t cols = 0;
  MatrixOrder order = MatrixOrder::kRows;
  int64_t padded_rows = 0;  // rows of memory per panel, or per part of eight tiles

  // The layout of a matrix on a backend with tiled kernels. `one_reader`: only one product reads it.
  template <typename Element>
  [[gnu::always_inline]] static inline MatrixLayout ForTiledKernels(int64_t cols, int64_t padded_rows,
                                                                    bool one_reader) {
    if (padded_rows == 0 || cols % kRun<Element> != 0) return {cols};
    const MatrixLayout tiled{cols, MatrixOrder::kTiles, padded_rows};
    if (one_reader && cols % tiled.PartColumns<Element>() == 0) return tiled;
    return {cols, MatrixOrder::kPanels, padded_rows};
  }

  // Elements from the matrix's first to the row's first.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t RowOffset(int64_t row) const {
    if (order == MatrixOrder::kRows) return row * cols;
    if (order == MatrixOrder::kPanels) return row * kRun<Element>;
    const int64_t in_tile = row % kTileRows;
    return (row - in_tile) * PartColumns<Element>() + in_tile * kRun<Element>;
  }
  // Elements from the row's first to this one.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t ColumnOffset(int64_t column) const {
    if (order == MatrixOrder::kRows) return column;
    const int64_t in_run = column % kRun<Element>;
    if (order == MatrixOrder::kPanels) return (column - in_run) * padded_rows + in_run;
    const int64_t in_part = column % (kPartTiles * kRun<Element>);
    return (column - in_part) * padded_rows + (in_part - in_run) * kTileRows + in_run;
  }
  // How many elements of a row, from `column` on, lie side by side.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t Together(int64_t column) const {
    return order == MatrixOrder::kRows ? cols - column : kRun<Element> - column % kRun<Element>;
  }
  // Columns of a part of tiles.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t PartColumns() const {
    constexpr int64_t kMost = kPartTiles * kRun<Element>;
    return cols < kMost ? cols : kMost;
  }
};

}  // namespace calfvo
