// SPDX-License-Identifier: Apache-2.0
// Where the elements of a matrix in host memory are. The functions are part of every kernel that calls them,
// and never linked: see cpu/kernels_impl.h.
#pragma once

#include <cstdint>

namespace calfvo {

enum class MatrixOrder {
  kRows,    // one row after the other
  kPanels,  // 64 bytes of each row, then the next 64 bytes of each row
  // Tiles of 16 rows and 64 bytes: up to eight of the same rows, then those of the next 16 rows, and after
  // all rows the next eight.
  kTiles,
};

// Panels are what a product that multiplies tiles writes best: it makes a few columns of all rows before it
// comes to the next columns, and so writes memory in order. Tiles are what it reads best: its way goes along
// rows. Eight at a time is between the two, for products whose results are read by another.
struct MatrixLayout {
  static constexpr int64_t kTileRows = 16;
  static constexpr int64_t kPartTiles = 8;
  // Elements of a panel's or a tile's row.
  template <typename Element>
  static constexpr int64_t kRun = 64 / static_cast<int64_t>(sizeof(Element));

  int64_t cols = 0;
  MatrixOrder order = MatrixOrder::kRows;
  int64_t room = 0;  // rows that each panel, or part of eight tiles, has room for

  // Of the row's first element. Where there are tiles, the matrix begins with the first row of some.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t RowOffset(int64_t row) const {
    if (order == MatrixOrder::kRows) return row * cols;
    if (order == MatrixOrder::kPanels) return row * kRun<Element>;
    const int64_t in_tile = row % kTileRows;
    return (row - in_tile) * PartColumns<Element>() + in_tile * kRun<Element>;
  }
  // Of an element from the first of its row.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t ColumnOffset(int64_t column) const {
    if (order == MatrixOrder::kRows) return column;
    const int64_t in_run = column % kRun<Element>;
    if (order == MatrixOrder::kPanels) return (column - in_run) * room + in_run;
    const int64_t in_part = column % (kPartTiles * kRun<Element>);
    return (column - in_part) * room + (in_part - in_run) * kTileRows + in_run;
  }
  // How many elements of a row, from `column` on, lie side by side.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t Together(int64_t column) const {
    return order == MatrixOrder::kRows ? cols - column : kRun<Element> - column % kRun<Element>;
  }
  // Columns of tiles that lie one after the other.
  template <typename Element>
  [[gnu::always_inline]] inline int64_t PartColumns() const {
    constexpr int64_t kMost = kPartTiles * kRun<Element>;
    return cols < kMost ? cols : kMost;
  }
};

}  // namespace calfvo
