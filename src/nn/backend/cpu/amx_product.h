// SPDX-License-Identifier: Apache-2.0
// Matrix products on AMX tiles. Included by kernels_amx.cc only, inside its namespace.
//
// A block of 32 × 32 sums stays in tile registers along all of `in`, or along kMostDepth of it where results
// go to the residual stream: moving sums out of registers and back is the largest cost but for rows that miss
// the cache. The registers, by number:
//
//                          weights  left (6)  right (7)
//     rows of x  upper (4)              0         1
//                lower (5)              2         3       sums
//
// A factor's register is loaded again as soon as its last product has been issued, two or three products
// before the next use; the last step of a block loads the first tiles of the next block. A core that runs two
// threads hides little of a load's latency. Blocks of 32 × 48 load less, but right before the use, and are a
// quarter slower there.
//
// A tile of either factor is 1 KB of contiguous memory in the second-level cache: the rows of a task stay
// there while all panels pass, a panel while all blocks of rows pass. The second level delivers about 48
// bytes per cycle. Four tiles would take 85 cycles, but their four products take 64. So the first kKeptSteps
// steps of a panel stay in the first level. All other tiles are loaded with a non-temporal hint, which
// bypasses the first level; without the hint, rows evict the weights and products are a sixth slower.
//
// A line from beyond the second level occupies one of the core's 16 line fill buffers for hundreds of cycles,
// and tile loads need those buffers. So memory is read and written in order, which the hardware prefetcher
// follows without them (MatrixLayout), and each step prefetches a few lines of what comes next: the next
// panel, the residual stream two blocks ahead, and at the end the next rows.
//
// The vector units work between two tile products, a few rows at a time (OverlappedEpilogue): all at once
// would delay the next tiles. To the residual stream, sums begin with what is there plus bias, and are stored
// there. Activations are converted from a buffer of sums while the next block is multiplied.
#pragma once

// The four tiles of a block's sums, numbered as their registers are.
struct SumTiles {
  float* tiles[kBlockTiles * kPanelTiles];

  // One after the other.
  static SumTiles At(float* sums) {
    SumTiles result;
    for (int64_t i = 0; i < kBlockTiles * kPanelTiles; ++i) result.tiles[i] = sums + i * kSumTileElements;
    return result;
  }
  // In the residual stream, whose panels are 16 columns wide.
  static SumTiles InStream(const LinearTask& task, const ResultBlock& block) {
    SumTiles result;
    for (int64_t i = 0; i < kBlockTiles * kPanelTiles; ++i) {
      result.tiles[i] =
          StreamAt(task, block.row + i / kPanelTiles * kTile, block.column + i % kPanelTiles * kTile);
    }
    return result;
  }

  [[gnu::always_inline]] inline void Load() const {
    _tile_loadd(0, tiles[0], 64);
    _tile_loadd(1, tiles[1], 64);
    _tile_loadd(2, tiles[2], 64);
    _tile_loadd(3, tiles[3], 64);
  }
  [[gnu::always_inline]] static inline void Zero() {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  [[gnu::always_inline]] inline void Store() const {
    _tile_stored(0, tiles[0], 64);
    _tile_stored(1, tiles[1], 64);
    _tile_stored(2, tiles[2], 64);
    _tile_stored(3, tiles[3], 64);
  }
};

// The tiles of both factors for one step of a block.
struct StepTiles {
  const BFloat16* rows;  // the upper 16
  int64_t lower;         // elements from these to the lower 16
  const BFloat16* weights;
};

// The numbers of tile registers must be literals.
template <bool lower>
[[gnu::always_inline]] inline void LoadRowsTile(const BFloat16* tile) {
  if constexpr (lower) {
    _tile_stream_loadd(5, tile, 64);
  } else {
    _tile_stream_loadd(4, tile, 64);
  }
}
// `kept`: the tile stays in the first-level cache for the next block.
template <bool right, bool kept>
[[gnu::always_inline]] inline void LoadWeightsTile(const BFloat16* step_weights) {
  if constexpr (right && kept) {
    _tile_loadd(7, step_weights + kTileElements, 64);
  } else if constexpr (right) {
    _tile_stream_loadd(7, step_weights + kTileElements, 64);
  } else if constexpr (kept) {
    _tile_loadd(6, step_weights, 64);
  } else {
    _tile_stream_loadd(6, step_weights, 64);
  }
}
template <bool lower, bool right>
[[gnu::always_inline]] inline void MultiplyQuarter() {
  if constexpr (lower && right) {
    _tile_dpbf16ps(3, 5, 7);
  } else if constexpr (lower) {
    _tile_dpbf16ps(2, 5, 6);
  } else if constexpr (right) {
    _tile_dpbf16ps(1, 4, 7);
  } else {
    _tile_dpbf16ps(0, 4, 6);
  }
}

// One step: four products of the tiles in registers. Each register is loaded with its tile of `next` after
// its last product.
template <bool kept, bool right_first, Epilogue epilogue>
[[gnu::always_inline]] inline void MultiplyStep(const StepTiles& next, PrefetchPlan& prefetch,
                                                OverlappedEpilogue<epilogue>& overlapped) {
  MultiplyQuarter<false, right_first>();
  overlapped.template RunSlice<0>(prefetch);
  MultiplyQuarter<false, !right_first>();
  LoadRowsTile<false>(next.rows);
  overlapped.template RunSlice<1>(prefetch);
  MultiplyQuarter<true, !right_first>();
  LoadWeightsTile<!right_first, kept>(next.weights);
  overlapped.template RunSlice<2>(prefetch);
  MultiplyQuarter<true, right_first>();
  LoadWeightsTile<right_first, kept>(next.weights);
  LoadRowsTile<true>(next.rows + next.lower);
}

// sums = rows · panel over `steps` steps, plus the previous sums if to the residual stream. The registers
// hold the tiles `first` before the call and `next` after it.
template <Epilogue epilogue>
inline void MultiplyBlock(const TileRows& x, const StepTiles& first, int64_t steps, const SumTiles& sums,
                          const StepTiles& next, PrefetchPlan prefetch,
                          OverlappedEpilogue<epilogue>& overlapped) {
  CompilerBarrier();
  if constexpr (IsToStream(epilogue)) {
    sums.Load();
  } else {
    SumTiles::Zero();
  }
  const BFloat16* rows = first.rows;
  const BFloat16* weights = first.weights;
  int64_t lower = first.lower;
  int64_t together = x.together;  // tiles that follow each other from `rows` on
  // To the tiles of the step after `k`.
  const auto advance = [&](int64_t k) {
    if (k + 1 == steps) {
      rows = next.rows;
      weights = next.weights;
      lower = next.lower;
      return;
    }
    weights += kStepElements;
    rows += kTileElements;
    if (--together > 0) return;
    together = x.together;
    rows += x.part - x.together * kTileElements;
  };
  // The left and the right half take turns to come first: of the weights that a step loads, the next step
  // uses those first that were loaded first.
  const auto two_steps = [&]<bool kept>(int64_t k) __attribute__((always_inline)) {
    advance(k);
    MultiplyStep<kept, false>({rows, lower, weights}, prefetch, overlapped);
    if (k + 1 == steps) return;
    advance(k + 1);
    MultiplyStep<kept, true>({rows, lower, weights}, prefetch, overlapped);
  };
  int64_t k = 0;
  for (; k < AtMost(kKeptSteps, steps); k += 2) two_steps.template operator()<true>(k);
  for (; k < steps; k += 2) two_steps.template operator()<false>(k);
  sums.Store();
  CompilerBarrier();
}

// body(column, stream, sums) for each vector of a block of the residual stream in any order, which may be cut
// off at the right or below, and its place in tiles at `sums`.
template <typename Body>
inline void ForVectors(const LinearTask& task, const ResultBlock& block, float* sums, const Body& body) {
  const SumTiles tiles = SumTiles::At(sums);
  for (int64_t row = 0; row < block.rows; ++row) {
    for (int64_t tile = 0; tile < kPanelTiles; ++tile) {
      const int64_t column = block.column + tile * kTile;
      if (column >= task.out) break;
      body(column, StreamAt(task, block.row + row, column),
           tiles.tiles[row / kTile * kPanelTiles + tile] + row % kTile * kTile);
    }
  }
}

// One pass of a task: all its results, over the `depth` elements of `in` from `first` on. `depth` is whole
// steps unless it ends at `in`. Blocks are taken down a panel, then down the next.
class AmxPass {
 public:
  AmxPass(const LinearTask& task, int64_t first, int64_t depth, const NextRows& next_rows)
      : task_(task),
        space_(task.pack_space),
        x_(TakeRows(task, space_, first, depth)),
        steps_(DepthSteps(depth)),
        blocks_((task.rows + kBlock - 1) / kBlock),
        panel_elements_(DepthSteps(task.in) * kStepElements),
        weights_(static_cast<const BFloat16*>(task.packed) + first / kDepth * kStepElements),
        next_rows_(next_rows) {
    const int64_t panels = (task.out + kPanelColumns - 1) / kPanelColumns;
    const int64_t bytes_per_block = steps_ * kPairBytes;
    const int64_t fetching = (next_rows.bytes() + bytes_per_block - 1) / bytes_per_block;
    first_fetching_ = panels * blocks_ > fetching ? panels * blocks_ - fetching : 0;
  }

  // Not inlined: GCC keeps more in registers when each epilogue is a separate function.
  template <Epilogue epilogue>
  [[gnu::noinline]] void Run() const {
    ConfigureTiles();
    const StepTiles tiles = TilesOf(BlockAt(0, 0));
    CompilerBarrier();
    LoadRowsTile<false>(tiles.rows);
    LoadWeightsTile<false, true>(tiles.weights);
    LoadWeightsTile<true, true>(tiles.weights);
    LoadRowsTile<true>(tiles.rows + tiles.lower);
    OverlappedEpilogue<epilogue> overlapped(task_, steps_, blocks_);
    if constexpr (IsToStream(epilogue)) {
      RunToStream(overlapped);
    } else {
      RunToActivation(overlapped);
    }
    overlapped.Finish();
    _tile_release();
  }

 private:
  ResultBlock BlockAt(int64_t row, int64_t column) const {
    return {row, AtMost(kBlock, task_.rows - row), column};
  }
  ResultBlock After(const ResultBlock& block) const {
    return block.row + kBlock < task_.rows ? BlockAt(block.row + kBlock, block.column)
                                           : BlockAt(0, block.column + kPanelColumns);
  }
  // Whether there are weights at `column`, at most one panel beyond the task's last.
  bool HasPanel(int64_t column) const { return column < task_.out || task_.panel_follows; }
  const BFloat16* Panel(int64_t column) const { return weights_ + column / kPanelColumns * panel_elements_; }

  StepTiles TilesOf(const ResultBlock& block) const {
    // With 16 rows or fewer, the lower ones' sums are not used.
    return {x_.first + block.row / kTile * x_.group, block.rows > kTile ? x_.group : 0, Panel(block.column)};
  }
  // Of the block after `block`; where there are no more panels, with this block's weights.
  StepTiles TilesAfter(const ResultBlock& block) const {
    ResultBlock next = After(block);
    if (!HasPanel(next.column)) next.column = block.column;
    return TilesOf(next);
  }

  // The next panel, in equal shares for the blocks of this one. The last blocks of all also fetch the next
  // rows, a pair of lines at each step.
  PrefetchPlan PrefetchDuring(const ResultBlock& block) const {
    PrefetchPlan plan{};
    const int64_t index = block.row / kBlock;  // in its panel
    if (HasPanel(block.column + kPanelColumns)) {
      const auto* panel = reinterpret_cast<const std::byte*>(Panel(block.column + kPanelColumns));
      const int64_t pairs = steps_ * kStepPairs;
      plan.weights = panel + index * pairs / blocks_ * kPairBytes;
      plan.weights_end = panel + (index + 1) * pairs / blocks_ * kPairBytes;
    }
    const int64_t fetching = block.column / kPanelColumns * blocks_ + index - first_fetching_;
    if (fetching >= 0) plan.rows = next_rows_.At(fetching * steps_ * kPairBytes);
    return plan;
  }

  template <Epilogue epilogue>
  void Multiply(const ResultBlock& block, const SumTiles& sums, const PrefetchPlan& prefetch,
                OverlappedEpilogue<epilogue>& overlapped) const {
    MultiplyBlock<epilogue>(x_, TilesOf(block), steps_, sums, TilesAfter(block), prefetch, overlapped);
  }

  // Two buffers of sums take turns: one is written out while the other is multiplied into.
  template <Epilogue epilogue>
  void RunToActivation(OverlappedEpilogue<epilogue>& overlapped) const {
    int64_t turn = 0;
    for (ResultBlock block = BlockAt(0, 0); block.column < task_.out; block = After(block)) {
      float* sums = space_.sums + turn * kBlock * kPanelColumns;
      turn = 1 - turn;
      Multiply(block, SumTiles::At(sums), PrefetchDuring(block), overlapped);
      overlapped.BeginWrite(sums, block);
    }
  }

  // Blocks that SumsInPlace start with the bias added in place; others are copied to a buffer and back.
  template <Epilogue epilogue>
  void RunToStream(OverlappedEpilogue<epilogue>& overlapped) const {
    const auto begin_bias = [&](const ResultBlock& block) {
      if (task_.bias != nullptr && SumsInPlace(block)) overlapped.BeginBias(block);
    };
    ResultBlock block = BlockAt(0, 0);
    begin_bias(block);
    overlapped.Finish();
    while (block.column < task_.out) {
      const ResultBlock next = After(block);
      const ResultBlock after_next = After(next);
      begin_bias(next);
      PrefetchPlan prefetch = PrefetchDuring(block);
      prefetch.stream = StreamAt(task_, after_next.row, after_next.column);
      prefetch.stream_tile = StreamAt(task_, after_next.row, after_next.column + kTile) - prefetch.stream;
      if (SumsInPlace(block)) {
        Multiply(block, SumTiles::InStream(task_, block), prefetch, overlapped);
        overlapped.Finish();
      } else {
        MultiplyInBuffer(block, prefetch, overlapped);
      }
      block = next;
    }
  }
  bool SumsInPlace(const ResultBlock& block) const {
    return task_.y_layout.order == MatrixOrder::kPanels && block.rows == kBlock &&
           task_.out - block.column >= kPanelColumns;
  }
  template <Epilogue epilogue>
  void MultiplyInBuffer(const ResultBlock& block, const PrefetchPlan& prefetch,
                        OverlappedEpilogue<epilogue>& overlapped) const {
    ForVectors(task_, block, space_.sums, [&](int64_t column, const float* stream, float* sums) {
      Vec value = epilogue == Epilogue::kAddStream ? LoadPart(stream, task_.out - column) : Vec{};
      if (task_.bias != nullptr) value += Load(task_.bias + column);
      Store(sums, value);
    });
    Multiply(block, SumTiles::At(space_.sums), prefetch, overlapped);
    overlapped.Finish();
    ForVectors(task_, block, space_.sums, [&](int64_t column, float* stream, const float* sums) {
      StorePart(stream, Load(sums), task_.out - column);
    });
  }

  const LinearTask& task_;
  const ProductParts space_;
  const TileRows x_;
  const int64_t steps_;
  const int64_t blocks_;  // per panel
  const int64_t panel_elements_;
  const BFloat16* const weights_;  // of the first panel, from `first` on
  const NextRows next_rows_;
  int64_t first_fetching_;  // number of the first block that fetches next rows
};

// Multiplies RowsAtOnce rows at a time; to the residual stream in passes of kMostDepth along `in`, of which
// the first adds the bias and the others add to its results.
void AmxLinear(const LinearTask& whole) {
  const bool to_stream = IsToStream(whole.epilogue);
  const int64_t depth = to_stream ? AtMostDepth(whole.in) : whole.in;
  const int64_t most_rows = RowsAtOnce(depth);
  const auto rows_from = [&](int64_t row) {
    return static_cast<const BFloat16*>(whole.x) + whole.x_layout.RowOffset<BFloat16>(row);
  };
  for (int64_t row = 0; row < whole.rows; row += most_rows) {
    LinearTask task = whole;
    const int64_t left = whole.rows - row;
    task.rows = AtMost(most_rows, left);
    task.panel_follows = whole.panel_follows && whole.in <= depth && left <= most_rows;
    task.x = rows_from(row);
    task.y = static_cast<std::byte*>(whole.y) +
             (to_stream ? whole.y_layout.RowOffset<float>(row) * static_cast<int64_t>(sizeof(float))
                        : whole.y_layout.RowOffset<BFloat16>(row) * static_cast<int64_t>(sizeof(BFloat16)));
    const int64_t rows_after = AtMost(task.rows, left - task.rows + whole.rows_after);
    for (int64_t first = 0; first < whole.in; first += depth) {
      const int64_t next = first + depth;
      const NextRows next_rows =
          next < whole.in
              ? NextRows::Of(whole.x_layout, task.x, task.rows, next, AtMost(whole.in - next, depth))
              : NextRows::Of(whole.x_layout, rows_from(row + task.rows), rows_after, 0, depth);
      const AmxPass pass(task, first, AtMost(whole.in - first, depth), next_rows);
      WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() { pass.Run<epilogue>(); });
      task.epilogue = Epilogue::kAddStream;
      task.bias = nullptr;
    }
  }
}
