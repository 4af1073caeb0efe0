// SPDX-License-Identifier: Apache-2.0
// Attention within long sequences on AMX tiles, one head at a time. Included by kernels_amx.cc only, inside
// its namespace.
//
// Scores are [queries][keys], 32 queries at a time, and those of a frame stay in the first-level cache, where
// their weights in bf16 take their place. The first factors, queries and weights, are rows that tiles are
// loaded from. The second factors, keys and values, are packed into panels of 32 columns: for each 32
// elements along the sum two tiles of [16 pairs][16 columns][2], each of them one kilobyte in a row, which
// come from the second level and do not pass through the first.
#pragma once

constexpr int64_t kHeads = 2 * kTile;  // queries, keys or elements of values that are taken at once

// How a task's space is divided, in this order. Head size and length are rounded up to whole tiles, so that
// every part starts at a multiple of 64 bytes if the space does.
struct AmxAttentionParts {
  AmxAttentionParts(int64_t length, int64_t head_size, void* space)
      : size(RoundUp(head_size, kDepth)),
        tokens(RoundUp(length, kHeads)),
        keys(static_cast<BFloat16*>(space)),
        values(keys + tokens * size),
        heads(values + size * tokens),
        scores(reinterpret_cast<float*>(heads + kHeads * size)),
        sums(scores + kHeads * tokens) {}

  int64_t size;
  int64_t tokens;
  BFloat16* keys;    // tokens / 32 panels, summed along `size`; the surplus is zero
  BFloat16* values;  // size / 32 panels, summed along `tokens`; the surplus is zero
  BFloat16* heads;   // [32][size], of TakeHeads
  float* scores;     // [32][tokens]; then each row begins with its weights, which are zero beyond `length`
  float* sums;       // [32][size], outputs before they are divided by the sum of their weights
};

size_t AmxAttentionSpace(int64_t length, int64_t head_size) {
  const int64_t size = RoundUp(head_size, kDepth);
  const int64_t tokens = RoundUp(length, kHeads);
  const int64_t elements = 2 * tokens * size + kHeads * size;
  const int64_t floats = kHeads * tokens + kHeads * size;
  return static_cast<size_t>(elements) * sizeof(BFloat16) + static_cast<size_t>(floats) * sizeof(float);
}

// The first `count` of 32 lanes; count ≥ 1.
inline __mmask32 FirstLanes(int64_t count) {
  return count < 32 ? ~__mmask32{0} >> (32 - count) : ~__mmask32{0};
}

// Up to 32 elements, from `i` on, of each token's query (part 0), key (1) or value (2). In rows and in panels
// it is equally far from token to token.
struct HeadColumns {
  HeadColumns(const AttentionTask& task, int64_t part, int64_t i)
      : step(task.qkv_layout.RowOffset<BFloat16>(1)) {
    const MatrixLayout layout = task.qkv_layout;
    const int64_t column = part * task.dim + task.head_offset + i;
    const int64_t together = layout.Together<BFloat16>(column);
    const auto* row = static_cast<const BFloat16*>(task.qkv) + layout.RowOffset<BFloat16>(task.row);
    const __mmask32 present = FirstLanes(task.head_size - i);
    here = present & FirstLanes(together);
    elsewhere = present & ~here;
    first = row + layout.ColumnOffset<BFloat16>(column);
    second = row + layout.ColumnOffset<BFloat16>(column + together) - together;
  }

  const BFloat16* At(int64_t token) const { return first + token * step; }
  // With zeros beyond the head's size.
  ElementVec Load(int64_t token) const {
    __m512i elements = _mm512_maskz_loadu_epi16(here, At(token));
    if (elsewhere != 0) elements = _mm512_mask_loadu_epi16(elements, elsewhere, second + token * step);
    return reinterpret_cast<ElementVec>(elements);
  }

  int64_t step;
  __mmask32 here;
  __mmask32 elsewhere;
  const BFloat16* first;
  const BFloat16* second;  // of those elsewhere, if they all were
};

// 32 elements at `i` of a token's head vector, 16 of which make pairs with the other 16, turned by the
// token's position.
inline ElementVec TurnPairs(const AttentionTask& task, int64_t token, int64_t i, ElementVec elements) {
  const auto half = [&](__m256i bits) {
    return reinterpret_cast<Vec>(Widen(reinterpret_cast<HalfVec>(bits)) << 16);
  };
  const Vec u = half(_mm512_castsi512_si256(reinterpret_cast<__m512i>(elements)));
  const Vec v = half(_mm512_extracti64x4_epi64(reinterpret_cast<__m512i>(elements), 1));
  const int64_t pair = (token - task.rope_skip) * (task.head_size / 2) + i / 2;
  const Vec cosine = Load(task.rope_cos + pair);
  const Vec sine = Load(task.rope_sin + pair);
  return ToElements(u * cosine - v * sine, v * cosine + u * sine);
}

// 32 rows that tiles are loaded from.
struct HeadRows {
  const BFloat16* first;
  int64_t stride;         // elements from row to row
  int64_t step = kDepth;  // elements from tile to tile
};

// Queries (part 0) or keys (1) of 32 tokens from `first` on, turned by their positions; zero beyond the last
// token and beyond the head's size. Where there is nothing to turn and nothing to fill up they are left where
// they are; otherwise they replace what was in parts.heads.
inline HeadRows TakeHeads(const AttentionTask& task, const AmxAttentionParts& parts, int64_t part,
                          int64_t first) {
  const MatrixLayout& layout = task.qkv_layout;
  const bool whole = first + kHeads <= task.length && task.head_size == parts.size;
  if (whole && task.rope_cos == nullptr) {
    const BFloat16* head = HeadColumns(task, part, 0).At(first);
    if (layout.order == MatrixOrder::kRows) {
      for (int64_t r = 0; r < kHeads; ++r) {
        Prefetch(head + (kPrefetchTokens + r) * layout.cols, task.head_size);
      }
      return {head, layout.cols};
    }
    if ((part * task.dim + task.head_offset) % kDepth == 0)
      return {head, kDepth, layout.padded_rows * kDepth};
  }
  const int64_t left = task.length - first;
  const int64_t count = left < kHeads ? left : kHeads;
  const bool turned_at_once = task.rope_cos != nullptr && task.rope_group == kLanes &&
                              task.head_size == parts.size && first >= task.rope_skip;
  for (int64_t i = 0; i < parts.size; i += kDepth) {
    const HeadColumns columns(task, part, i);
    BFloat16* to = parts.heads + i;
    for (int64_t token = first; token < first + count; ++token, to += parts.size) {
      const ElementVec elements = columns.Load(token);
      StoreElements(to, turned_at_once ? TurnPairs(task, token, i, elements) : elements);
    }
    for (int64_t r = count; r < kHeads; ++r, to += parts.size) StoreElements(to, ElementVec{});
  }
  for (int64_t r = 0; r < count && !turned_at_once; ++r) {
    BFloat16* head = parts.heads + r * parts.size;
    TurnHead(task, first + r, head, head);
  }
  return {parts.heads, parts.size};
}

// Lanes are pairs of elements: transposing 16 rows of them makes a tile.
inline void PackKeyTiles(const AttentionTask& task, const AmxAttentionParts& parts) {
  BFloat16* tile = parts.keys;
  for (int64_t first = 0; first < task.length; first += kHeads) {
    const HeadRows rows = TakeHeads(task, parts, 1, first);
    for (int64_t at = 0; at < parts.size; at += kDepth) {
      for (int64_t row = 0; row < kHeads; row += kTile, tile += kTileElements) {
        Vec pairs[kTile];
        for (int64_t i = 0; i < kTile; ++i) {
          __builtin_memcpy(&pairs[i], rows.first + (row + i) * rows.stride + at / kDepth * rows.step,
                           sizeof(Vec));
        }
        Transpose(pairs);
        __builtin_memcpy(static_cast<void*>(tile), pairs, sizeof(pairs));
      }
    }
  }
}

// Elements `first` to first + 15 of `a`, each followed by that of `b`.
template <int first, int... lanes>
inline ElementVec Interleave(ElementVec a, ElementVec b, std::integer_sequence<int, lanes...> /*all*/) {
  return __builtin_shufflevector(a, b, (first + lanes / 2 + lanes % 2 * 32)...);
}

inline void PackValueTiles(const AttentionTask& task, const AmxAttentionParts& parts) {
  constexpr auto kAll = std::make_integer_sequence<int, 32>();
  BFloat16* tiles = parts.values;
  for (int64_t column = 0; column < parts.size; column += kHeads) {
    const HeadColumns columns(task, 2, column);
    const auto load = [&](int64_t token) { return token < task.length ? columns.Load(token) : ElementVec{}; };
    for (int64_t first = 0; first < parts.tokens; first += kDepth, tiles += 2 * kTileElements) {
      for (int64_t i = 0; i < kDepth; i += 2) {
        const ElementVec even = load(first + i);
        const ElementVec odd = load(first + i + 1);
        StoreElements(tiles + i * kTile, Interleave<0>(even, odd, kAll));
        StoreElements(tiles + kTileElements + i * kTile, Interleave<kTile>(even, odd, kAll));
      }
    }
  }
}

// sums [32][32] = rows [32][32·steps] · panel; `sum_stride` in elements.
inline void MultiplyRows(const HeadRows& rows, const BFloat16* panel, int64_t steps, float* sums,
                         int64_t sum_stride) {
  const size_t row_bytes = static_cast<size_t>(rows.stride) * sizeof(BFloat16);
  const BFloat16* upper = rows.first;
  const BFloat16* lower = upper + kTile * rows.stride;
  const size_t sum_bytes = static_cast<size_t>(sum_stride) * sizeof(float);
  CompilerBarrier();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t k = 0; k < steps; ++k) {
    _tile_loadd(4, upper, row_bytes);
    _tile_stream_loadd(6, panel, 64);
    _tile_stream_loadd(7, panel + kTileElements, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(5, lower, row_bytes);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    upper += rows.step;
    lower += rows.step;
    panel += 2 * kTileElements;
  }
  _tile_stored(0, sums, sum_bytes);
  _tile_stored(1, sums + kTile, sum_bytes);
  _tile_stored(2, sums + kTile * sum_stride, sum_bytes);
  _tile_stored(3, sums + kTile * sum_stride + kTile, sum_bytes);
}

// 2^x to 7.5e-5; 0 where that is too small for a float. Both instructions take ⌊x⌋ by themselves.
inline Vec PowerOfTwo(Vec x) {
  constexpr int kDown = 1;  // x − ⌊x⌋
  const Vec r = reinterpret_cast<Vec>(_mm512_reduce_ps(reinterpret_cast<__m512>(x), kDown));
  // 2^r on 0 ≤ r ≤ 1.
  Vec p = Splat(7.80245213e-2F);
  p = p * r + 0.226067174F;
  p = p * r + 0.695833525F;
  p = p * r + 0.999925221F;
  return reinterpret_cast<Vec>(_mm512_scalef_ps(reinterpret_cast<__m512>(p), reinterpret_cast<__m512>(x)));
}

// Puts weights in the place of 16 rows of scores: 2^(scale · (score − the row's largest)), not yet divided by
// their sum, whose inverse goes to `inverse`. Scores beyond `length` are ignored; their weights are zero.
inline void SoftmaxRows(float* scores, int64_t length, int64_t tokens, float scale, float* inverse) {
  // The last two vectors of a row; the second may be all surplus.
  const int64_t last = tokens - 2 * kLanes;
  const __mmask32 present = FirstLanes(length - last);
  const auto first_present = static_cast<__mmask16>(present);
  const auto second_present = static_cast<__mmask16>(present >> kLanes);
  const auto load_or_least = [](const float* from, __mmask16 mask) {
    return reinterpret_cast<Vec>(_mm512_mask_loadu_ps(_mm512_set1_ps(-__builtin_inff()), mask, from));
  };
  const auto or_zero = [](Vec values, __mmask16 mask) {
    return reinterpret_cast<Vec>(_mm512_maskz_mov_ps(mask, reinterpret_cast<__m512>(values)));
  };

  Vec reduced[kLanes];
  for (int64_t r = 0; r < kLanes; ++r) {
    const float* row = scores + r * tokens;
    Vec most =
        Max(load_or_least(row + last, first_present), load_or_least(row + last + kLanes, second_present));
    for (int64_t j = 0; j < last; j += kLanes) most = Max(most, Load(row + j));
    reduced[r] = most;
  }
  float shift[kLanes];
  Store(shift, MaxEach(reduced) * -scale);

  for (int64_t r = 0; r < kLanes; ++r) {
    const float* row = scores + r * tokens;
    auto* weights = reinterpret_cast<BFloat16*>(scores + r * tokens);
    const auto weigh = [&](int64_t j) { return PowerOfTwo(Load(row + j) * scale + shift[r]); };
    Vec first_total = {};
    Vec second_total = {};
    for (int64_t j = 0; j < last; j += 2 * kLanes) {
      const Vec first = weigh(j);
      const Vec second = weigh(j + kLanes);
      first_total += first;
      second_total += second;
      StoreElements(weights + j, ToElements(first, second));
    }
    const Vec first = or_zero(weigh(last), first_present);
    const Vec second = second_present != 0 ? or_zero(weigh(last + kLanes), second_present) : Vec{};
    StoreElements(weights + last, ToElements(first, second));
    reduced[r] = (first_total + first) + (second_total + second);
  }
  Store(inverse, 1.0F / SumEach(reduced));
}

// Outputs of `count` tokens from `first` on. 32 of them may end up in two tiles.
inline void WriteOutputs(const AttentionTask& task, const AmxAttentionParts& parts, const float* inverse,
                         int64_t first, int64_t count) {
  const MatrixLayout layout = task.out_layout;
  auto* out = static_cast<BFloat16*>(task.out);
  for (int64_t at = 0; at < parts.size; at += 2 * kLanes) {
    const int64_t column = task.head_offset + at;
    const int64_t together = layout.Together<BFloat16>(column);
    const __mmask32 present = FirstLanes(task.head_size - at);
    const __mmask32 here = present & FirstLanes(together);
    const int64_t offset = layout.ColumnOffset<BFloat16>(column);
    const int64_t next = layout.ColumnOffset<BFloat16>(column + together) - together;
    for (int64_t r = 0; r < count; ++r) {
      const float* sums = parts.sums + r * parts.size + at;
      const ElementVec outputs = ToElements(Load(sums) * inverse[r], Load(sums + kLanes) * inverse[r]);
      BFloat16* row = out + layout.RowOffset<BFloat16>(task.row + first + r);
      const auto store = [&](BFloat16* to, __mmask32 mask) {
        _mm512_mask_storeu_epi16(to, mask, reinterpret_cast<__m512i>(outputs));
      };
      store(row + offset, here);
      if (here != present) store(row + next, present & ~here);
    }
  }
}

// In the last block, rows of queries beyond the last token give sums that are not read.
void AmxAttention(const AttentionTask& task) {
  const AmxAttentionParts parts(task.length, task.head_size, task.space);
  PackKeyTiles(task, parts);
  PackValueTiles(task, parts);

  ConfigureTiles();
  const float scale = 1.44269504F / __builtin_sqrtf(static_cast<float>(task.head_size));  // 2^1.44 = e
  for (int64_t first = 0; first < task.length; first += kHeads) {
    const int64_t count = task.length - first < kHeads ? task.length - first : kHeads;
    const HeadRows queries = TakeHeads(task, parts, 0, first);
    for (int64_t key = 0; key < parts.tokens; key += kHeads) {
      MultiplyRows(queries, parts.keys + key * parts.size, parts.size / kDepth, parts.scores + key,
                   parts.tokens);
    }
    float inverse[kHeads];
    for (int64_t r = 0; r < count; r += kTile) {
      SoftmaxRows(parts.scores + r * parts.tokens, task.length, parts.tokens, scale, inverse + r);
    }
    const HeadRows weights{reinterpret_cast<const BFloat16*>(parts.scores), 2 * parts.tokens};
    for (int64_t column = 0; column < parts.size; column += kHeads) {
      MultiplyRows(weights, parts.values + column * parts.tokens, parts.tokens / kDepth, parts.sums + column,
                   parts.size);
    }
    WriteOutputs(task, parts, inverse, first, count);
  }
  _tile_release();
}
