// SPDX-License-Identifier: Apache-2.0
// Work that overlaps with tile products: prefetching what the next blocks need, and the epilogue (bias, GELU,
// conversion to bf16) on the vector units. Included by kernels_amx.cc only, inside its namespace.
#pragma once

// Rows of x in tiles that this thread most likely multiplies next, as memory to prefetch: `runs` runs of
// `run_bytes`, whose beginnings lie `run_stride` bytes apart.
struct NextRows {
  // `rows` rows at `x`, `depth` columns from `first` on. Empty unless x is in tiles.
  static NextRows Of(const MatrixLayout& layout, const void* x, int64_t rows, int64_t first, int64_t depth) {
    if (layout.order != MatrixOrder::kTiles) return {};
    constexpr auto kSize = static_cast<int64_t>(sizeof(BFloat16));
    const int64_t columns = layout.PartColumns<BFloat16>();
    return {reinterpret_cast<const std::byte*>(static_cast<const BFloat16*>(x) +
                                               layout.ColumnOffset<BFloat16>(first)),
            rows / kTile * kTile * columns * kSize, layout.padded_rows * columns * kSize,
            (depth + columns - 1) / columns};
  }
  int64_t bytes() const { return runs * run_bytes; }
  // The byte at `offset` of the runs put end to end; null beyond the last.
  const std::byte* At(int64_t offset) const {
    if (offset >= bytes()) return nullptr;
    return first + offset / run_bytes * run_stride + offset % run_bytes;
  }

  const std::byte* first = nullptr;
  int64_t run_bytes = 0;
  int64_t run_stride = 0;
  int64_t runs = 0;
};

constexpr int64_t kPairBytes = 128;  // two adjacent cache lines, which the CPU fetches together
constexpr int64_t kStepPairs = kStepElements * sizeof(BFloat16) / kPairBytes;

// What to prefetch while a block is multiplied. The pointers advance as lines are fetched. Addresses beyond
// the end of the residual stream or of x are harmless: a prefetch never faults.
struct PrefetchPlan {
  [[gnu::always_inline]] inline void FetchFactors(int64_t weight_pairs) {
    for (int64_t i = 0; i < weight_pairs && weights < weights_end; ++i) {
      __builtin_prefetch(weights, 0, 2);
      weights += kPairBytes;
    }
    if (rows != nullptr) {
      __builtin_prefetch(rows, 0, 2);
      rows += kPairBytes;
    }
  }
  [[gnu::always_inline]] inline void FetchStreamRow() {
    __builtin_prefetch(stream, 0, 2);
    __builtin_prefetch(stream + stream_tile, 0, 2);
    stream += kTile;
  }

  const std::byte* weights;  // this block's share of the next panel
  const std::byte* weights_end;
  const float* stream;    // the block of the residual stream after the next
  int64_t stream_tile;    // elements from its left tile to its right one
  const std::byte* rows;  // a part of NextRows; null: none
};

// A block of up to 32 × 32 results: its position in the task's results, and how many rows of it exist.
struct ResultBlock {
  int64_t row = 0;
  int64_t rows = 0;
  int64_t column = 0;
};

// An element of the residual stream, for tasks that write to it.
inline float* StreamAt(const LinearTask& task, int64_t row, int64_t column) {
  return static_cast<float*>(task.y) + task.y_layout.RowOffset<float>(row) +
         task.y_layout.ColumnOffset<float>(task.y_column + column);
}

// The epilogue of one block, on the vector units, spread over the tile products of another block. To the
// residual stream, it adds the bias before the block is multiplied (BeginBias); to activations, it adds the
// bias, takes GELU and converts the finished sums (BeginWrite). RunSlice does a share of that and of the
// prefetching between two tile products; Finish does the rest.
template <Epilogue epilogue>
class OverlappedEpilogue {
 public:
  static constexpr bool kToStream = IsToStream(epilogue);

  // For products of `steps` steps; `blocks` blocks use the same panel of weights.
  OverlappedEpilogue(const LinearTask& task, int64_t steps, int64_t blocks) : task_(task) {
    const int64_t rows = (kBlock + steps - 1) / steps;
    rows_[0] = rows / 2;
    rows_[1] = rows - rows_[0];
    pairs_ = (kStepPairs + blocks - 1) / blocks;
    const MatrixLayout& layout = task.y_layout;
    row_stride_ = layout.RowOffset<BFloat16>(1);
    tile_gap_ = layout.RowOffset<BFloat16>(kTile) - kTile * row_stride_;
  }

  // Starts to add the bias to a block of the residual stream.
  void BeginBias(const ResultBlock& block) {
    for (int64_t i = 0; i < kPanelTiles; ++i) {
      stream_[i] = StreamAt(task_, block.row, block.column + i * kTile);
    }
    bias_ = task_.bias + block.column;
    rows_left_ = block.rows;
  }
  // Starts to write a block whose sums are finished.
  void BeginWrite(const float* sums, const ResultBlock& block) {
    sums_ = sums;
    rows_left_ = block.rows;
    columns_ = task_.out - block.column;
    bias_ = task_.bias != nullptr ? task_.bias + block.column : nullptr;
    to_ = static_cast<BFloat16*>(task_.y) + task_.y_layout.RowOffset<BFloat16>(block.row) +
          task_.y_layout.ColumnOffset<BFloat16>(task_.y_column + block.column);
    rows_of_tile_ = kTile;
  }

  // Slices 0, 1 and 2 of a step: 0 prefetches factors, 1 and 2 prefetch results and finish rows.
  template <int slice>
  [[gnu::always_inline]] inline void RunSlice(PrefetchPlan& prefetch) {
    CompilerBarrier();
    if constexpr (slice == 0) {
      prefetch.FetchFactors(pairs_);
    } else {
      for (int64_t i = 0; i < rows_[slice - 1]; ++i) {
        if constexpr (kToStream) prefetch.FetchStreamRow();
        if (rows_left_ > 0) FinishRow();
      }
    }
    CompilerBarrier();
  }
  void Finish() {
    while (rows_left_ > 0) FinishRow();
  }

 private:
  [[gnu::always_inline]] inline void FinishRow() {
    if constexpr (kToStream) {
      AddBias();
    } else {
      WriteRow();
    }
    --rows_left_;
  }
  [[gnu::always_inline]] inline void AddBias() {
    for (int64_t i = 0; i < kPanelTiles; ++i) {
      const Vec bias = Load(bias_ + i * kTile);
      Store(stream_[i], epilogue == Epilogue::kAddStream ? Load(stream_[i]) + bias : bias);
      stream_[i] += kTile;
    }
  }
  [[gnu::always_inline]] inline Vec Finished(int64_t tile) const {
    Vec value = Load(sums_ + tile * kSumTileElements);
    if (bias_ != nullptr) value += Load(bias_ + tile * kTile);
    return epilogue == Epilogue::kGelu ? Gelu(value, to_) : value;
  }
  [[gnu::always_inline]] inline void WriteRow() {
    if (columns_ >= kPanelColumns) {
      StoreElements(to_, ToElements(Finished(0), Finished(1)));
    } else {
      StorePart(to_, Finished(0), columns_);
      if (columns_ > kTile) StorePart(to_ + kTile, Finished(1), columns_ - kTile);
    }
    sums_ += kTile;
    to_ += row_stride_;
    if (--rows_of_tile_ > 0) return;
    rows_of_tile_ = kTile;
    sums_ += (kPanelTiles - 1) * kSumTileElements;
    to_ += tile_gap_;
  }

  const LinearTask& task_;
  int64_t pairs_;       // of lines of weights to prefetch in slice 0
  int64_t rows_[2];     // to finish in slices 1 and 2
  int64_t row_stride_;  // elements of y from row to row within a tile of 16 rows,
  int64_t tile_gap_;    // and in addition from the last row of a tile to the next tile
  int64_t rows_left_ = 0;
  const float* bias_ = nullptr;
  float* stream_[kPanelTiles] = {};  // BeginBias: the next row
  const float* sums_ = nullptr;      // BeginWrite: the next row,
  BFloat16* to_ = nullptr;           // and where it goes
  int64_t rows_of_tile_ = 0;         // left in the tile of the next row
  int64_t columns_ = 0;              // from the block's first column to the end of the task's results
};
