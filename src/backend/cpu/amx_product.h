// SPDX-License-Identifier: Apache-2.0
// Matrix products on AMX tiles. Included by kernels_amx.cc only, inside its namespace.
//
// A block of 32 × 32 sums takes four of the eight tile registers and runs along all of `in`, or along
// kMostDepth of it where results are added to the stream anyway: sums that leave the registers and come back
// cost more than anything else but rows that do not fit the cache. The other four hold two tiles of x and two
// of weights. Each is loaded as soon as its predecessor is done with, two or three products before it is
// used, those of the next block in the last step of this one: a core that two threads share hides little of
// what a load takes. Blocks of 32 × 48 load less, but right before the use, and are slower there by a
// quarter.
//
// Of both factors a tile is one kilobyte in a row, and they lie in the second-level cache: the rows of a task
// while all panels pass, a panel while all blocks of rows do. From there no more than about 48 bytes come in
// a cycle, and if all tiles did, four would take 85 cycles, while their four products take 64. So kKeptSteps
// of a panel stay in the first level. All else is loaded with the hint that it will not be wanted soon, and
// does not pass through the first level: without the hint, rows drive out the weights, and products are
// slower by a sixth.
//
// Lines that come from further away than the second level each keep one of the 16 buffers that all lines come
// through for hundreds of cycles, and tiles need those buffers. So memory is read and written in order, which
// the CPU notices and fetches ahead without them (MatrixLayout), and what comes next (the panel, the stream
// two blocks ahead, and in the end the rows) is fetched a few lines at each step.
//
// Where results are added to the stream, the registers begin with what is there and end there; the vector
// units have added the bias while the tile unit was busy with the block before. Other results wait as sums;
// while the tile unit works on the next block, the vector units add bias, take GELU and write them out, rows
// between two products: all of them in one place would keep the next tiles waiting.
#pragma once

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

// The tiles that a block begins with.
struct FirstTiles {
  const BFloat16* rows;  // the upper 16
  int64_t lower;         // from these to the lower 16
  const BFloat16* weights;
};

// A tile of weights into its register, whose number must be a literal. Those that are `kept` stay in the
// first level for the next block.
template <bool kept>
[[gnu::always_inline]] inline void LoadFirstWeights(const BFloat16* tile) {
  if constexpr (kept) {
    _tile_loadd(6, tile, 64);
  } else {
    _tile_stream_loadd(6, tile, 64);
  }
}
template <bool kept>
[[gnu::always_inline]] inline void LoadSecondWeights(const BFloat16* tile) {
  if constexpr (kept) {
    _tile_loadd(7, tile, 64);
  } else {
    _tile_stream_loadd(7, tile, 64);
  }
}

// sums = rows · panel, plus what they were before if to the stream. The first tiles are in their registers
// already, and in the end those of the block that is `next`.
template <Epilogue epilogue>
inline void MultiplyBlock(const TileRows& x, const FirstTiles& first, int64_t steps, const SumTiles& sums,
                          const FirstTiles& next, Fetched fetched, Meanwhile<epilogue>& meanwhile) {
  KeepPlace();
  if constexpr (Meanwhile<epilogue>::kToStream) {
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
  const BFloat16* rows = first.rows;
  const BFloat16* weights = first.weights;
  int64_t lower = first.lower;
  int64_t together = x.together;
  // What the next step multiplies.
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
  const auto two_steps = [&]<bool kept>(int64_t k) __attribute__((always_inline)) {
    advance(k);
    _tile_dpbf16ps(0, 4, 6);
    meanwhile.template DoPart<0>(fetched);
    _tile_dpbf16ps(1, 4, 7);
    _tile_stream_loadd(4, rows, 64);
    meanwhile.template DoPart<1>(fetched);
    _tile_dpbf16ps(3, 5, 7);
    LoadSecondWeights<kept>(weights + kTileElements);
    meanwhile.template DoPart<2>(fetched);
    _tile_dpbf16ps(2, 5, 6);
    LoadFirstWeights<kept>(weights);
    _tile_stream_loadd(5, rows + lower, 64);
    if (k + 1 == steps) return;
    advance(k + 1);
    _tile_dpbf16ps(1, 4, 7);
    meanwhile.template DoPart<0>(fetched);
    _tile_dpbf16ps(0, 4, 6);
    _tile_stream_loadd(4, rows, 64);
    meanwhile.template DoPart<1>(fetched);
    _tile_dpbf16ps(2, 5, 6);
    LoadFirstWeights<kept>(weights);
    meanwhile.template DoPart<2>(fetched);
    _tile_dpbf16ps(3, 5, 7);
    LoadSecondWeights<kept>(weights + kTileElements);
    _tile_stream_loadd(5, rows + lower, 64);
  };
  int64_t k = 0;
  for (; k < AtMost(kKeptSteps, steps); k += 2) two_steps.template operator()<true>(k);
  for (; k < steps; k += 2) two_steps.template operator()<false>(k);
  _tile_stored(0, sums.tiles[0], 64);
  _tile_stored(1, sums.tiles[1], 64);
  _tile_stored(2, sums.tiles[2], 64);
  _tile_stored(3, sums.tiles[3], 64);
  KeepPlace();
}

// body(column, stream, sums) for each vector of a block of the stream that lies in any order and may be cut
// off, and its place in tiles at `sums`.
template <typename Body>
inline void ForVectors(const LinearTask& task, const Place& place, float* sums, const Body& body) {
  const SumTiles tiles = SumTiles::At(sums);
  for (int64_t row = 0; row < place.rows; ++row) {
    for (int64_t tile = 0; tile < kPanelTiles; ++tile) {
      const int64_t column = place.column + tile * kTile;
      if (column >= task.out) break;
      body(column, StreamAt(task, place.row + row, column),
           tiles.tiles[row / kTile * kPanelTiles + tile] + row % kTile * kTile);
    }
  }
}

// The elements of `in` from `first` on, `depth` of them, which are whole steps but at the end.
template <Epilogue epilogue>
void AmxLinearPart(const LinearTask& task, int64_t first, int64_t depth, const Following& following) {
  constexpr bool kToStream = Meanwhile<epilogue>::kToStream;
  const ProductParts parts(task.pack_space);
  const TileRows x = TakeRows(task, parts, first, depth);
  const int64_t steps = DepthSteps(depth);
  const int64_t blocks = (task.rows + kBlock - 1) / kBlock;
  const int64_t panel_elements = DepthSteps(task.in) * kStepElements;
  const auto* panel = static_cast<const BFloat16*>(task.packed) + first / kDepth * kStepElements;
  Meanwhile<epilogue> meanwhile(task, steps, blocks);
  const auto tiles_at = [&](const BFloat16* weights, int64_t row) -> FirstTiles {
    // Where no more than 16 rows are left, the lower ones' sums do not matter.
    return {x.first + row / kTile * x.group, task.rows - row > kTile ? x.group : 0, weights};
  };
  // Blocks of a panel, then those of the next.
  const auto place_of = [&](int64_t row, int64_t column) -> Place {
    return {row, AtMost(kBlock, task.rows - row), column};
  };
  const auto after = [&](const Place& place) {
    return place.row + kBlock < task.rows ? place_of(place.row + kBlock, place.column)
                                          : place_of(0, place.column + kPanelColumns);
  };
  // Whole ones are added up where they are in the stream, after the bias.
  const auto is_whole = [&](const Place& place) {
    return task.y_layout.order == MatrixOrder::kPanels && place.rows == kBlock &&
           task.out - place.column >= kPanelColumns;
  };
  const auto add_bias_to = [&](const Place& place) {
    if (task.bias != nullptr && is_whole(place)) meanwhile.SetBlock(place);
  };
  // The rows that follow are fetched with the last blocks, a pair of lines at each step.
  const int64_t panels = (task.out + kPanelColumns - 1) / kPanelColumns;
  const int64_t rows_per_block = steps * kPairBytes;
  const int64_t following_blocks =
      (following.runs * following.run_bytes + rows_per_block - 1) / rows_per_block;
  const int64_t first_following = panels * blocks > following_blocks ? panels * blocks - following_blocks : 0;
  int64_t number = 0;
  int64_t turn = 0;
  ConfigureTiles();
  KeepPlace();
  const FirstTiles first_tiles = tiles_at(panel, 0);
  _tile_stream_loadd(4, first_tiles.rows, 64);
  _tile_loadd(6, first_tiles.weights, 64);
  _tile_loadd(7, first_tiles.weights + kTileElements, 64);
  _tile_stream_loadd(5, first_tiles.rows + first_tiles.lower, 64);
  if constexpr (kToStream) {
    add_bias_to(place_of(0, 0));
    meanwhile.DoAll();
  }
  for (int64_t column = 0; column < task.out; column += kPanelColumns, panel += panel_elements) {
    const BFloat16* next_panel =
        column + kPanelColumns < task.out || task.panel_follows ? panel + panel_elements : nullptr;
    for (int64_t row = 0; row < task.rows; row += kBlock, ++number) {
      const Place place = place_of(row, column);
      const Place next = after(place);
      Fetched fetched{};
      if (next_panel != nullptr) {
        const auto* bytes = reinterpret_cast<const std::byte*>(next_panel);
        const int64_t pairs = steps * kStepPairs;
        fetched.weights = bytes + row / kBlock * pairs / blocks * kPairBytes;
        fetched.weights_end = bytes + (row / kBlock + 1) * pairs / blocks * kPairBytes;
      }
      if (number >= first_following) fetched.rows = following.At((number - first_following) * rows_per_block);
      const auto multiply = [&](const SumTiles& sums) {
        const FirstTiles next_tiles =
            tiles_at(next.row > 0 || next_panel == nullptr ? panel : next_panel, next.row);
        MultiplyBlock<epilogue>(x, tiles_at(panel, row), steps, sums, next_tiles, fetched, meanwhile);
      };
      if constexpr (!kToStream) {
        float* sums = parts.sums + turn * kBlock * kPanelColumns;
        turn = 1 - turn;
        multiply(SumTiles::At(sums));
        meanwhile.SetSums(sums, place);
      } else {
        add_bias_to(next);
        const Place soon = after(next);
        fetched.stream = StreamAt(task, soon.row, soon.column);
        fetched.stream_tile = StreamAt(task, soon.row, soon.column + kTile) - fetched.stream;
        if (is_whole(place)) {
          multiply(SumTiles::InStream(task, place));
          meanwhile.DoAll();
          continue;
        }
        ForVectors(task, place, parts.sums, [&](int64_t at, const float* stream, float* sums) {
          Vec value = epilogue == Epilogue::kAddStream ? LoadPart(stream, task.out - at) : Vec{};
          if (task.bias != nullptr) value += Load(task.bias + at);
          Store(sums, value);
        });
        multiply(SumTiles::At(parts.sums));
        meanwhile.DoAll();
        ForVectors(task, place, parts.sums, [&](int64_t at, float* stream, const float* sums) {
          StorePart(stream, Load(sums), task.out - at);
        });
      }
    }
  }
  meanwhile.DoAll();
  _tile_release();
}

void AmxLinear(const LinearTask& whole) {
  const bool to_stream = IsToStream(whole.epilogue);
  const int64_t depth = to_stream ? AtMostDepth(whole.in) : whole.in;
  const int64_t most_rows = RowsAtOnce(depth);
  for (int64_t row = 0; row < whole.rows; row += most_rows) {
    const auto rows_from = [&](int64_t r) {
      return static_cast<const BFloat16*>(whole.x) + whole.x_layout.RowOffset<BFloat16>(r);
    };
    LinearTask task = whole;
    const int64_t left = whole.rows - row;
    task.rows = AtMost(most_rows, left);
    task.panel_follows = whole.panel_follows && whole.in <= depth && left <= most_rows;
    task.x = rows_from(row);
    task.y = static_cast<std::byte*>(whole.y) +
             (to_stream ? whole.y_layout.RowOffset<float>(row) * static_cast<int64_t>(sizeof(float))
                        : whole.y_layout.RowOffset<BFloat16>(row) * static_cast<int64_t>(sizeof(BFloat16)));
    const int64_t next_rows = AtMost(task.rows, left - task.rows + whole.rows_after);
    for (int64_t first = 0; first < whole.in; first += depth) {
      const int64_t next = first + depth;
      const Following following =
          next < whole.in
              ? Following::Of(whole.x_layout, task.x, task.rows, next, AtMost(whole.in - next, depth))
              : Following::Of(whole.x_layout, rows_from(row + task.rows), next_rows, 0, depth);
      WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() {
        AmxLinearPart<epilogue>(task, first, AtMost(whole.in - first, depth), following);
      });
      task.epilogue = Epilogue::kAddStream;
      task.bias = nullptr;
    }
  }
}
