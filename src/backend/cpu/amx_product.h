// SPDX-License-Identifier: Apache-2.0
// Matrix products on AMX tiles. Included by kernels_amx.cc only, inside its namespace.
//
// A block of 32 × 32 sums takes four of the eight tile registers and runs along all of `in`, or along
// kMostDepth of it where results are added to the stream anyway: sums that leave the registers and come back
// cost more than anything else but rows that do not fit the cache. The other four hold two tiles of x and two
// of weights. Each is loaded as soon as its predecessor is done with, two or three products before it is
// used: a core that two threads share hides little of what a load takes, and blocks of 32 × 48, which load
// less but right before the use, are slower there by a quarter, if faster by a twentieth where a thread has
// the core to itself. Of both factors a tile is one kilobyte in a row, and they lie in the second-level
// cache: the rows of a task while all panels pass, a panel while all blocks of rows do. Weights are loaded
// with the hint that they will not be wanted soon.
//
// Lines that come from further away than the second level each keep one of the 16 buffers that all lines come
// through for hundreds of cycles, and tiles need those buffers. So memory is read and written in order, which
// the CPU notices and fetches ahead without them (MatrixLayout), and the next panel of weights and the next
// rows of the stream are fetched a few lines at each step.
//
// Where results are added to the stream, the registers begin with what is there and end there. Others wait as
// sums; while the tile unit works on the next block, the vector units add bias, take GELU and write them out,
// rows between two products: all of them in one place would keep the next tiles waiting.
#pragma once

constexpr int64_t kSumTileElements = kTile * kTile;     // of a tile of sums
constexpr int64_t kBlockTiles = 2;                      // of rows, in a block of sums
constexpr int64_t kBlock = kBlockTiles * kTile;         // its rows
constexpr int64_t kPanelTiles = 2;                      // of columns
constexpr int64_t kPanelColumns = kPanelTiles * kTile;  // its columns
constexpr int64_t kMostDepth = 1024;                    // along `in` at a time, where results are added up

int64_t DepthSteps(int64_t in) {
  return (in + kDepth - 1) / kDepth;
}

int64_t AtMostDepth(int64_t in) {
  return in < kMostDepth ? in : kMostDepth;
}

// Rows that pass a panel together: the more, the less often the weights are read, as long as rows and panel
// stay in a second-level cache of two megabytes, which two threads may share.
int64_t RowsAtOnce(int64_t depth) {
  constexpr int64_t kMost = 12;  // blocks
  constexpr int64_t kMostBytes = int64_t{3} << 18;
  const int64_t fitting =
      kMostBytes / (kBlockTiles * kTileElements * DepthSteps(depth) * static_cast<int64_t>(sizeof(BFloat16)));
  return (fitting < 1 ? 1 : fitting < kMost ? fitting : kMost) * kBlock;
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
        bias(reinterpret_cast<BFloat16*>(sums + 2 * kBlock * kPanelColumns)),
        rows(bias + kStepElements) {}

  // Two blocks of sums, of each four tiles: two of the upper 16 rows, two of the lower.
  float* sums;
  BFloat16* bias;  // as one more step of a panel, see PackBias
  BFloat16* rows;  // packed
};

size_t AmxPackSpace(int64_t in) {
  const auto packed_rows = [](int64_t depth) { return RowsAtOnce(depth) * DepthSteps(depth) * kDepth; };
  const int64_t whole = packed_rows(in);
  const int64_t part = packed_rows(AtMostDepth(in));
  return static_cast<size_t>(2 * kBlock * kPanelColumns) * sizeof(float) +
         static_cast<size_t>(kStepElements + (whole > part ? whole : part)) * sizeof(BFloat16);
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
  if (layout.order == MatrixOrder::kPanels) return {x, kTileElements, 1, layout.room * kDepth};
  const int64_t part_columns = layout.PartColumns<BFloat16>();
  return {x, kTile * part_columns, part_columns / kDepth, layout.room * part_columns};
}

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
  static constexpr bool kToStream = epilogue == Epilogue::kStream || epilogue == Epilogue::kAddStream;

  // `steps` of each block, of `blocks` that pass each panel.
  Meanwhile(const LinearTask& task, int64_t steps, int64_t blocks) : task_(task) {
    const int64_t rows = (kBlock + steps - 1) / steps;
    const int64_t pairs = (kStepPairs + blocks - 1) / blocks;
    for (int64_t part = 0; part < kParts; ++part) {
      rows_[part] = (part + 1) * rows / kParts - part * rows / kParts;
      pairs_[part] = (part + 1) * pairs / kParts - part * pairs / kParts;
    }
    // From one row of results to the next, and what is between the tiles that they are in.
    const MatrixLayout& layout = task.y_layout;
    row_step_ = layout.RowOffset<BFloat16>(1);
    tile_step_ = layout.RowOffset<BFloat16>(kTile) - kTile * row_step_;
  }

  // Weights that will be needed, so many steps.
  void FetchWeights(const BFloat16* weights, int64_t steps) {
    weights_ = reinterpret_cast<const std::byte*>(weights);
    weights_end_ = weights_ + steps * kStepPairs * kPairBytes;
  }
  // The stream that will be needed. It is not asked whether it is there.
  void FetchStream(int64_t row, int64_t column) {
    for (int64_t i = 0; i < kPanelTiles; ++i) stream_[i] = StreamAt(task_, row, column + i * kTile);
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

  // A third of what is to be done at each step. The parts 0, 1 and 2 take turns.
  template <int part>
  [[gnu::always_inline]] inline void DoPart() {
    KeepPlace();
    // Of two lines side by side, the CPU fetches both.
    for (int64_t i = 0; i < pairs_[part] && weights_ < weights_end_; ++i, weights_ += kPairBytes) {
      __builtin_prefetch(weights_, 0, 2);
    }
    for (int64_t i = 0; i < rows_[part]; ++i) {
      if constexpr (kToStream) {
        for (const float*& line : stream_) {
          __builtin_prefetch(line, 0, 2);
          line += kTile;
        }
      } else if (rows_left_ > 0) {
        WriteRow();
      }
    }
    KeepPlace();
  }
  void WriteAll() {
    while (rows_left_ > 0) WriteRow();
  }

 private:
  static constexpr int64_t kParts = 3;
  static constexpr int64_t kPairBytes = 128;
  static constexpr int64_t kStepPairs = kStepElements * sizeof(BFloat16) / kPairBytes;

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
    --rows_left_;
    if (--rows_of_tile_ > 0) return;
    rows_of_tile_ = kTile;
    sums_ += (kPanelTiles - 1) * kSumTileElements;
    to_ += tile_step_;
  }

  const LinearTask& task_;
  int64_t rows_[kParts];   // that are written, or whose stream is fetched, in each part of a step
  int64_t pairs_[kParts];  // of lines of weights that are fetched
  int64_t row_step_;
  int64_t tile_step_;
  const std::byte* weights_ = nullptr;
  const std::byte* weights_end_ = nullptr;
  const float* stream_[kPanelTiles] = {};
  const float* sums_ = nullptr;  // of the next row to be written
  BFloat16* to_ = nullptr;       // its place
  const float* bias_ = nullptr;
  int64_t rows_left_ = 0;
  int64_t rows_of_tile_ = 0;
  int64_t columns_ = 0;
};

// A block's four tiles of sums, those of the upper 16 rows first.
struct SumTiles {
  float* tiles[kBlockTiles * kPanelTiles];

  // One after the other.
  static SumTiles At(float* sums) {
    SumTiles result;
    for (int64_t i = 0; i < kBlockTiles * kPanelTiles; ++i) result.tiles[i] = sums + i * kSumTileElements;
    return result;
  }
  // In the stream, whose panels are 16 columns wide.
  static SumTiles InStream(const LinearTask& task, const Place& place) {
    SumTiles result;
    for (int64_t i = 0; i < kBlockTiles * kPanelTiles; ++i) {
      result.tiles[i] =
          StreamAt(task, place.row + i / kPanelTiles * kTile, place.column + i % kPanelTiles * kTile);
    }
    return result;
  }
};

// Three ones at the beginning of each row: a factor of PackBias.
struct OnesTile {
  constexpr OnesTile() {
    for (int64_t row = 0; row < kTile; ++row) {
      for (int64_t i = 0; i < 3; ++i) elements[row * kDepth + i] = {0x3f80};
    }
  }
  alignas(64) BFloat16 elements[kTileElements] = {};
};
constexpr OnesTile kOnes;

// The bias of a panel as one more step along `in`: three parts in bf16 are a float, to the last bit.
inline void PackBias(const float* bias, BFloat16* to) {
  __builtin_memset(static_cast<void*>(to), 0, kStepElements * sizeof(BFloat16));
  for (int64_t tile = 0; tile < kPanelTiles; ++tile, to += kTileElements) {
    UVec parts[3];
    Vec left = Load(bias + tile * kTile);
    for (UVec& part : parts) {
      part = Widen(ToHalf(left));
      left -= reinterpret_cast<Vec>(part << 16);
    }
    const UVec pairs[2] = {parts[0] | parts[1] << 16, parts[2]};
    __builtin_memcpy(static_cast<void*>(to), pairs, sizeof(pairs));
  }
}

// sums = rows · panel, and with kAddStream what they were before. `bias` may be null. The tiles of the upper
// and the lower 16 rows begin at `upper` and `lower`.
template <Epilogue epilogue>
inline void MultiplyBlock(const TileRows& x, const BFloat16* upper, const BFloat16* lower,
                          const BFloat16* panel, int64_t steps, const BFloat16* bias, const SumTiles& sums,
                          Meanwhile<epilogue>& meanwhile) {
  KeepPlace();
  if constexpr (epilogue == Epilogue::kAddStream) {
    _tile_loadd(0, sums.tiles[0], 64);
    _tile_loadd(1, sums.tiles[1], 64);
    _tile_loadd(2, sums.tiles[2], 64);
    _tile_loadd(3, sums.tiles[3], 64);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  _tile_loadd(4, upper, 64);
  _tile_stream_loadd(6, panel, 64);
  _tile_stream_loadd(7, panel + kTileElements, 64);
  _tile_loadd(5, lower, 64);
  // What the next step needs; the last step's again, which nobody uses, after the last.
  int64_t left_together = x.together;
  const auto advance = [&](int64_t k) {
    if (k + 1 == steps) return;
    panel += kStepElements;
    upper += kTileElements;
    lower += kTileElements;
    if (--left_together > 0) return;
    left_together = x.together;
    upper += x.part - x.together * kTileElements;
    lower += x.part - x.together * kTileElements;
  };
  for (int64_t k = 0; k < steps; ++k) {
    advance(k);
    _tile_dpbf16ps(0, 4, 6);
    meanwhile.template DoPart<0>();
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(4, upper, 64);
    meanwhile.template DoPart<1>();
    _tile_dpbf16ps(3, 5, 7);
    _tile_stream_loadd(7, panel + kTileElements, 64);
    meanwhile.template DoPart<2>();
    _tile_dpbf16ps(2, 5, 6);
    _tile_stream_loadd(6, panel, 64);
    _tile_loadd(5, lower, 64);
    if (++k == steps) break;
    advance(k);
    _tile_dpbf16ps(1, 4, 7);
    meanwhile.template DoPart<0>();
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(4, upper, 64);
    meanwhile.template DoPart<1>();
    _tile_dpbf16ps(2, 5, 6);
    _tile_stream_loadd(6, panel, 64);
    meanwhile.template DoPart<2>();
    _tile_dpbf16ps(3, 5, 7);
    _tile_stream_loadd(7, panel + kTileElements, 64);
    _tile_loadd(5, lower, 64);
  }
  if (bias != nullptr) {
    _tile_loadd(4, kOnes.elements, 64);
    _tile_loadd(6, bias, 64);
    _tile_loadd(7, bias + kTileElements, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 4, 6);
    _tile_dpbf16ps(3, 4, 7);
  }
  _tile_stored(0, sums.tiles[0], 64);
  _tile_stored(1, sums.tiles[1], 64);
  _tile_stored(2, sums.tiles[2], 64);
  _tile_stored(3, sums.tiles[3], 64);
  KeepPlace();
}

// body(stream, sums, count) for each vector of a block of the stream that lies in any order and may be cut
// off, and its place in tiles at `sums`.
template <typename Body>
inline void ForVectors(const LinearTask& task, const Place& place, float* sums, const Body& body) {
  const SumTiles tiles = SumTiles::At(sums);
  for (int64_t row = 0; row < place.rows; ++row) {
    for (int64_t tile = 0; tile < kPanelTiles; ++tile) {
      const int64_t column = place.column + tile * kTile;
      if (column >= task.out) break;
      body(StreamAt(task, place.row + row, column),
           tiles.tiles[row / kTile * kPanelTiles + tile] + row % kTile * kTile, task.out - column);
    }
  }
}

// The elements of `in` from `first` on, `depth` of them, which are whole steps but at the end.
template <Epilogue epilogue>
void AmxLinearPart(const LinearTask& task, int64_t first, int64_t depth) {
  const ProductParts parts(task.pack_space);
  const TileRows x = TakeRows(task, parts, first, depth);
  const int64_t steps = DepthSteps(depth);
  const int64_t blocks = (task.rows + kBlock - 1) / kBlock;
  const int64_t panel_elements = DepthSteps(task.in) * kStepElements;
  const auto* panel = static_cast<const BFloat16*>(task.packed) + first / kDepth * kStepElements;
  Meanwhile<epilogue> meanwhile(task, steps, blocks);
  int64_t turn = 0;
  ConfigureTiles();
  for (int64_t column = 0; column < task.out; column += kPanelColumns, panel += panel_elements) {
    if (column + kPanelColumns < task.out) meanwhile.FetchWeights(panel + panel_elements, steps);
    for (int64_t row = 0; row < task.rows; row += kBlock) {
      const int64_t left = task.rows - row;
      const Place place{row, left < kBlock ? left : kBlock, column};
      // Where no more than 16 rows are left, the sums of the lower ones are not read.
      const BFloat16* upper = x.first + row / kTile * x.group;
      const BFloat16* lower = left > kTile ? upper + x.group : upper;
      const auto multiply = [&](const BFloat16* bias, const SumTiles& sums) {
        MultiplyBlock<epilogue>(x, upper, lower, panel, steps, bias, sums, meanwhile);
      };
      if constexpr (!Meanwhile<epilogue>::kToStream) {
        float* sums = parts.sums + turn * kBlock * kPanelColumns;
        turn = 1 - turn;
        multiply(nullptr, SumTiles::At(sums));
        meanwhile.SetSums(sums, place);
        continue;
      }
      if (row == 0 && task.bias != nullptr) PackBias(task.bias + column, parts.bias);
      const BFloat16* bias = task.bias != nullptr ? parts.bias : nullptr;
      meanwhile.FetchStream(row + kBlock, column);
      if (task.y_layout.order == MatrixOrder::kPanels && left >= kBlock &&
          task.out - column >= kPanelColumns) {
        multiply(bias, SumTiles::InStream(task, place));
        continue;
      }
      ForVectors(task, place, parts.sums, [](const float* stream, float* sums, int64_t count) {
        Store(sums, LoadPart(stream, count));
      });
      multiply(bias, SumTiles::At(parts.sums));
      ForVectors(task, place, parts.sums, [](float* stream, const float* sums, int64_t count) {
        StorePart(stream, Load(sums), count);
      });
    }
  }
  meanwhile.WriteAll();
  _tile_release();
}

void AmxLinear(const LinearTask& whole) {
  const bool to_stream = whole.epilogue == Epilogue::kStream || whole.epilogue == Epilogue::kAddStream;
  const int64_t depth = to_stream ? AtMostDepth(whole.in) : whole.in;
  const int64_t rows = RowsAtOnce(depth);
  for (int64_t row = 0; row < whole.rows; row += rows) {
    LinearTask task = whole;
    task.rows = whole.rows - row < rows ? whole.rows - row : rows;
    task.x = static_cast<const BFloat16*>(whole.x) + whole.x_layout.RowOffset<BFloat16>(row);
    task.y = static_cast<std::byte*>(whole.y) +
             (to_stream ? whole.y_layout.RowOffset<float>(row) * static_cast<int64_t>(sizeof(float))
                        : whole.y_layout.RowOffset<BFloat16>(row) * static_cast<int64_t>(sizeof(BFloat16)));
    for (int64_t first = 0; first < whole.in; first += depth) {
      const int64_t left = whole.in - first;
      WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() {
        AmxLinearPart<epilogue>(task, first, left < depth ? left : depth);
      });
      task.epilogue = Epilogue::kAddStream;
      task.bias = nullptr;
    }
  }
}
