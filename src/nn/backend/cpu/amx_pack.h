// SPDX-License-Identifier: Apache-2.0
// How the factors of AMX products are cut into tiles and packed. Included by kernels_amx.cc only, inside its
// namespace.
#pragma once

constexpr int64_t kSumTileElements = kTile * kTile;     // of a tile of sums
constexpr int64_t kBlockTiles = 2;                      // of rows, in a block of sums
constexpr int64_t kBlock = kBlockTiles * kTile;         // its rows
constexpr int64_t kPanelTiles = 2;                      // of columns
constexpr int64_t kPanelColumns = kPanelTiles * kTile;  // its columns
constexpr int64_t kMostDepth = 1024;                    // along `in` at a time, where results are added up
constexpr int64_t kKeptSteps = 16;                      // of a panel, whose weights fill 32 KB

int64_t DepthSteps(int64_t in) {
  return (in + kDepth - 1) / kDepth;
}

int64_t AtMost(int64_t most, int64_t value) {
  return value < most ? value : most;
}

int64_t AtMostDepth(int64_t in) {
  return AtMost(kMostDepth, in);
}

// Rows that pass a panel together: the more, the less often the weights are read, as long as rows and panel
// stay in a second-level cache of two megabytes, which two threads may share. 13 blocks of 1024 columns: with
// 12, each of two threads would take three turns for a window of 8 × 197 rows.
int64_t RowsAtOnce(int64_t depth) {
  constexpr int64_t kMost = 13;  // blocks
  constexpr int64_t kMostBytes = kMost << 16;
  const int64_t fitting =
      kMostBytes / (kBlockTiles * kTileElements * DepthSteps(depth) * static_cast<int64_t>(sizeof(BFloat16)));
  return (fitting < 1 ? 1 : AtMost(kMost, fitting)) * kBlock;
}

int64_t AmxTaskRows(int64_t in) {
  return RowsAtOnce(AtMostDepth(in));
}

constexpr int64_t kStepElements = kPanelTiles * kTileElements;  // of a panel, for one step along `in`

size_t AmxPanelSize(int64_t in) {
  return static_cast<size_t>(DepthSteps(in) * kStepElements) * sizeof(BFloat16);
}

size_t AmxPackedSize(int64_t out, int64_t in) {
  return static_cast<size_t>(RoundUp(out, kPanelColumns) / kPanelColumns) * AmxPanelSize(in);
}

// Panel of 32 columns: for each step along `in`, two tiles of [16 pairs of rows][16 columns][2].
void AmxPack(const float* weight, int64_t out, int64_t in, void* packed) {
  auto* to = static_cast<BFloat16*>(packed);
  for (int64_t panel = 0; panel < out; panel += kPanelColumns) {
    for (int64_t k = 0; k < DepthSteps(in) * kDepth; k += kDepth) {
      for (int64_t first = panel; first < panel + kPanelColumns; first += kTile) {
        for (int64_t pair = k; pair < k + kDepth; pair += 2) {
          for (int64_t column = first; column < first + kTile; ++column) {
            for (int64_t row = pair; row < pair + 2; ++row) {
              const bool inside = column < out && row < in;
              *to = ToElement(inside ? weight[column * in + row] : 0.0F, to);
              ++to;
            }
          }
        }
      }
    }
  }
}

// How a task's space is divided, in this order.
struct ProductParts {
  explicit ProductParts(void* space)
      : sums(static_cast<float*>(space)),
        rows(reinterpret_cast<BFloat16*>(sums + 2 * kBlock * kPanelColumns)) {}

  // Two blocks of sums, of each four tiles: two of the upper 16 rows, two of the lower.
  float* sums;
  BFloat16* rows;  // packed
};

size_t AmxPackSpace(int64_t in) {
  const auto packed_rows = [](int64_t depth) { return RowsAtOnce(depth) * DepthSteps(depth) * kDepth; };
  const int64_t whole = packed_rows(in);
  const int64_t part = packed_rows(AtMostDepth(in));
  return static_cast<size_t>(2 * kBlock * kPanelColumns) * sizeof(float) +
         static_cast<size_t>(whole > part ? whole : part) * sizeof(BFloat16);
}

// 16 rows, of which `rows` are there, of a matrix in rows, from column `first` on: for each step along
// `depth`, a tile of [16 rows][32]. Step by step, so that it is written in order: rows may be a power of two
// apart, and of those the first level holds few at a time.
void PackGroup(const BFloat16* x, int64_t cols, int64_t rows, int64_t first, int64_t depth, BFloat16* to) {
  constexpr int64_t kAhead = 4;  // steps
  for (int64_t k = 0; k < depth; k += kDepth) {
    for (int64_t row = 0; row < kTile; ++row, to += kDepth) {
      const BFloat16* from = x + row * cols + first + k;
      const int64_t left = row < rows ? depth - k : 0;
      if (left >= kDepth) {
        __builtin_prefetch(from + kAhead * kDepth);
        __builtin_memcpy(static_cast<void*>(to), from, kDepth * sizeof(BFloat16));
        continue;
      }
      for (int64_t i = 0; i < kDepth; ++i) to[i] = i < left ? from[i] : BFloat16{};
    }
  }
}

// The tiles of x. Those of the next 16 rows are `group` elements further. Along `in`, `together` tiles lie
// one after the other; the next ones are `part` elements from the first of those.
struct TileRows {
  const BFloat16* first;
  int64_t group;
  int64_t together;
  int64_t part;
};

// The elements of `in` from `first` on, `depth` of them; packed if they are in rows.
TileRows TakeRows(const LinearTask& task, const ProductParts& parts, int64_t first, int64_t depth) {
  const auto* x = static_cast<const BFloat16*>(task.x);
  const MatrixLayout layout = task.x_layout;
  if (layout.order == MatrixOrder::kRows) {
    const int64_t group = DepthSteps(depth) * kTileElements;
    for (int64_t row = 0; row < task.rows; row += kTile) {
      PackGroup(x + row * layout.cols, layout.cols, task.rows - row, first, depth,
                parts.rows + row / kTile * group);
    }
    return {parts.rows, group, DepthSteps(depth), 0};
  }
  x += layout.ColumnOffset<BFloat16>(first);
  if (layout.order == MatrixOrder::kPanels) return {x, kTileElements, 1, layout.padded_rows * kDepth};
  const int64_t part_columns = layout.PartColumns<BFloat16>();
  return {x, kTile * part_columns, part_columns / kDepth, layout.padded_rows * part_columns};
}
