// SPDX-License-Identifier: Apache-2.0
// What is done between the tile products of an AMX product: fetching what comes next, and the vector units'
// work on results. Included by kernels_amx.cc only, inside its namespace.
#pragma once

// Rows that this thread will most likely multiply next: `runs` pieces of `run_bytes`, each `run_step` bytes
// from the last.
struct Following {
  static Following Of(const MatrixLayout& layout, const void* x, int64_t rows, int64_t first, int64_t depth) {
    if (layout.order != MatrixOrder::kTiles) return {};
    constexpr auto kSize = static_cast<int64_t>(sizeof(BFloat16));
    const int64_t columns = layout.PartColumns<BFloat16>();
    return {reinterpret_cast<const std::byte*>(static_cast<const BFloat16*>(x) +
                                               layout.ColumnOffset<BFloat16>(first)),
            rows / kTile * kTile * columns * kSize, layout.room * columns * kSize,
            (depth + columns - 1) / columns};
  }
  // The byte at this offset, as if the pieces lay side by side. Null beyond the last.
  const std::byte* At(int64_t offset) const {
    if (offset >= runs * run_bytes) return nullptr;
    return first + offset / run_bytes * run_step + offset % run_bytes;
  }

  const std::byte* first = nullptr;
  int64_t run_bytes = 0;
  int64_t run_step = 0;
  int64_t runs = 0;
};

constexpr int64_t kPairBytes = 128;  // of two lines side by side, of which the CPU fetches both
constexpr int64_t kStepPairs = kStepElements * sizeof(BFloat16) / kPairBytes;

// Memory that is fetched while a block is multiplied: a part of the next panel, of the stream two lines for
// each of its rows, and unless null, at each step a pair of lines of the rows that follow. It is not asked
// whether the stream and the rows are there.
struct Fetched {
  const std::byte* weights;
  const std::byte* weights_end;
  const float* stream;
  int64_t stream_tile;  // from one line to the other
  const std::byte* rows;
};

// Where up to 32 × 32 results of a task are.
struct Place {
  int64_t row = 0;
  int64_t rows = 0;
  int64_t column = 0;
};

// Of the stream.
inline float* StreamAt(const LinearTask& task, int64_t row, int64_t column) {
  return static_cast<float*>(task.y) + task.y_layout.RowOffset<float>(row) +
         task.y_layout.ColumnOffset<float>(task.y_column + column);
}

// What the vector units do while the tile unit multiplies.
template <Epilogue epilogue>
class Meanwhile {
 public:
  static constexpr bool kToStream = IsToStream(epilogue);

  // `steps` of each block, of `blocks` that pass each panel.
  Meanwhile(const LinearTask& task, int64_t steps, int64_t blocks) : task_(task) {
    const int64_t rows = (kBlock + steps - 1) / steps;
    rows_[0] = rows / 2;
    rows_[1] = rows - rows_[0];
    pairs_ = (kStepPairs + blocks - 1) / blocks;
    // From one row of results to the next, and what is between the tiles that they are in.
    const MatrixLayout& layout = task.y_layout;
    row_step_ = layout.RowOffset<BFloat16>(1);
    tile_step_ = layout.RowOffset<BFloat16>(kTile) - kTile * row_step_;
  }

  // A block of the stream that the bias is to be added to.
  void SetBlock(const Place& place) {
    for (int64_t i = 0; i < kPanelTiles; ++i) {
      block_[i] = StreamAt(task_, place.row, place.column + i * kTile);
    }
    bias_ = task_.bias + place.column;
    rows_left_ = place.rows;
  }
  // A finished block that is waiting to be written.
  void SetSums(const float* sums, const Place& place) {
    sums_ = sums;
    rows_left_ = place.rows;
    columns_ = task_.out - place.column;
    bias_ = task_.bias != nullptr ? task_.bias + place.column : nullptr;
    to_ = static_cast<BFloat16*>(task_.y) + task_.y_layout.RowOffset<BFloat16>(place.row) +
          task_.y_layout.ColumnOffset<BFloat16>(task_.y_column + place.column);
    rows_of_tile_ = kTile;
  }

  // A part of what is to be done at each step: 0, 1 and 2 take turns.
  template <int part>
  [[gnu::always_inline]] inline void DoPart(Fetched& fetched) {
    KeepPlace();
    if constexpr (part == 0) {
      for (int64_t i = 0; i < pairs_ && fetched.weights < fetched.weights_end; ++i) {
        __builtin_prefetch(fetched.weights, 0, 2);
        fetched.weights += kPairBytes;
      }
      if (fetched.rows != nullptr) {
        __builtin_prefetch(fetched.rows, 0, 2);
        fetched.rows += kPairBytes;
      }
    } else {
      for (int64_t i = 0; i < rows_[part - 1]; ++i) {
        if constexpr (kToStream) {
          __builtin_prefetch(fetched.stream, 0, 2);
          __builtin_prefetch(fetched.stream + fetched.stream_tile, 0, 2);
          fetched.stream += kTile;
        }
        if (rows_left_ > 0) DoRow();
      }
    }
    KeepPlace();
  }
  void DoAll() {
    while (rows_left_ > 0) DoRow();
  }

 private:
  [[gnu::always_inline]] inline void DoRow() {
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
      Store(block_[i], epilogue == Epilogue::kAddStream ? Load(block_[i]) + bias : bias);
      block_[i] += kTile;
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
    to_ += row_step_;
    if (--rows_of_tile_ > 0) return;
    rows_of_tile_ = kTile;
    sums_ += (kPanelTiles - 1) * kSumTileElements;
    to_ += tile_step_;
  }

  const LinearTask& task_;
  int64_t pairs_;    // of lines of weights that are fetched at each step
  int64_t rows_[2];  // that something is done with in parts 1 and 2
  int64_t row_step_;
  int64_t tile_step_;
  int64_t rows_left_ = 0;
  const float* bias_ = nullptr;
  float* block_[kPanelTiles] = {};  // the next row of the stream that the bias is added to
  const float* sums_ = nullptr;     // of the next row to be written
  BFloat16* to_ = nullptr;          // its place
  int64_t rows_of_tile_ = 0;
  int64_t columns_ = 0;
};
