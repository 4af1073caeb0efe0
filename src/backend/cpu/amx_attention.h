// SPDX-License-Identifier: Apache-2.0
// Attention within long sequences on AMX tiles, one head at a time. Included by kernels_amx.cc only, inside
// its namespace.
//
// Scores are [queries][keys], 32 queries at a time, and stay in the cache. The weights, in bf16, are again
// rows that tiles are loaded from; keys and values are packed as the second factor.
#pragma once

// How a task's space is divided. Head size and length are rounded up to whole tiles; the surplus is zero.
struct AmxAttentionParts {
  AmxAttentionParts(int64_t length, int64_t head_size)
      : size(RoundUp(head_size, kBlock)), tokens(RoundUp(length, kBlock)) {}

  int64_t size;
  int64_t tokens;

  // In words of 4 bytes, in this order.
  int64_t key_words() const { return tokens * size / 2; }    // panels of 32 keys, [size / 2][32][2]
  int64_t value_words() const { return size * tokens / 2; }  // panels of 32 columns, [tokens / 2][32][2]
  int64_t query_words() const { return kBlock * size / 2; }  // [32][size]
  int64_t score_words() const { return kBlock * tokens; }    // [32][tokens]
  int64_t weight_words() const { return kBlock * tokens / 2; }
  int64_t sum_words() const { return kBlock * kBlock; }
};

size_t AmxAttentionSpace(int64_t length, int64_t head_size) {
  const AmxAttentionParts parts(length, head_size);
  return static_cast<size_t>(parts.key_words() + parts.value_words() + parts.query_words() +
                             parts.score_words() + parts.weight_words() + parts.sum_words() +
                             parts.query_words()) *
         sizeof(uint32_t);
}

// sums [32][32] = rows [32][32·steps] · panel [16·steps][32][2]; strides in elements.
inline void MultiplyRows(const BFloat16* rows, int64_t row_stride, const uint32_t* panel, int64_t steps,
                         float* sums, int64_t sum_stride) {
  const size_t row_bytes = static_cast<size_t>(row_stride) * sizeof(BFloat16);
  const size_t sum_bytes = static_cast<size_t>(sum_stride) * sizeof(float);
  constexpr size_t kPanelBytes = kBlock * sizeof(uint32_t);
  FinishStores();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t k = 0; k < steps; ++k) {
    _tile_loadd(4, rows, row_bytes);
    _tile_loadd(6, panel, kPanelBytes);
    _tile_loadd(7, panel + kTile, kPanelBytes);
    _tile_loadd(5, rows + kTile * row_stride, row_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    rows += kDepth;
    panel += kTile * kBlock;
  }
  _tile_stored(0, sums, sum_bytes);
  _tile_stored(1, sums + kTile, sum_bytes);
  _tile_stored(2, sums + kTile * sum_stride, sum_bytes);
  _tile_stored(3, sums + kTile * sum_stride + kTile, sum_bytes);
}

// Weights of kLanes rows of scores, not yet divided by their sum, whose inverse goes to `inverse`. Scores
// beyond `length` are overwritten.
inline void SoftmaxRows(float* scores, int64_t length, int64_t tokens, float scale, BFloat16* weights,
                        float* inverse) {
  Vec reduced[kLanes];
  for (int64_t r = 0; r < kLanes; ++r) {
    float* row = scores + r * tokens;
    for (int64_t j = length; j < tokens; ++j) row[j] = -__builtin_inff();
    reduced[r] = Load(row);
    for (int64_t j = kLanes; j < tokens; j += kLanes) reduced[r] = Max(reduced[r], Load(row + j));
  }
  float most[kLanes];
  Store(most, MaxEach(reduced));
  for (int64_t r = 0; r < kLanes; ++r) {
    Vec total = {};
    for (int64_t j = 0; j < tokens; j += kLanes) {
      const Vec weight = NegativeExp((Load(scores + r * tokens + j) - most[r]) * scale, weights);
      total += weight;
      Store(weights + r * tokens + j, weight);
    }
    reduced[r] = total;
  }
  Store(inverse, 1.0F / SumEach(reduced));
}

void AmxAttention(const AttentionTask& task) {
  const AmxAttentionParts parts(task.length, task.head_size);
  auto* keys = static_cast<uint32_t*>(task.space);
  uint32_t* values = keys + parts.key_words();
  auto* queries = reinterpret_cast<BFloat16*>(values + parts.value_words());
  auto* scores = reinterpret_cast<float*>(queries + 2 * parts.query_words());
  auto* weights = reinterpret_cast<BFloat16*>(scores + parts.score_words());
  auto* sums = reinterpret_cast<float*>(weights + 2 * parts.weight_words());
  auto* heads = reinterpret_cast<BFloat16*>(sums + parts.sum_words());
  for (int64_t i = 0; i < 2 * parts.query_words(); ++i) queries[i] = BFloat16{};
  if (parts.size > task.head_size) {
    for (int64_t i = 0; i < parts.key_words(); ++i) keys[i] = 0;
  }
  for (int64_t key = 0; key < task.length; key += kBlock) {
    PackHeads<Bf16Product>(task, 1, key, kBlock, heads, keys + key * parts.size / 2);
  }
  PackValues<Bf16Product>(task, parts.tokens / 2, values);

  ConfigureTiles();
  const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(task.head_size));
  for (int64_t first = 0; first < task.length; first += kBlock) {
    const int64_t rows = task.length - first < kBlock ? task.length - first : kBlock;
    for (int64_t r = 0; r < rows; ++r) LoadHead(task, first + r, 0, queries + r * parts.size);
    for (int64_t key = 0; key < parts.tokens; key += kBlock) {
      MultiplyRows(queries, parts.size, keys + key * parts.size / 2, parts.size / kDepth, scores + key,
                   parts.tokens);
    }
    float inverse[kBlock];
    for (int64_t r = 0; r < rows; r += kLanes) {
      SoftmaxRows(scores + r * parts.tokens, task.length, parts.tokens, scale, weights + r * parts.tokens,
                  inverse + r);
    }
    for (int64_t column = 0; column < task.head_size; column += kBlock) {
      MultiplyRows(weights, parts.tokens, values + column * parts.tokens / 2, parts.tokens / kDepth, sums,
                   kBlock);
      for (int64_t r = 0; r < rows; ++r) {
        BFloat16* to = static_cast<BFloat16*>(task.out) + (first + r) * task.out_stride + task.head_offset;
        for (int64_t at = column; at < column + kBlock && at < task.head_size; at += kLanes) {
          StorePart(to + at, Load(sums + r * kBlock + at - column) * inverse[r], task.head_size - at);
        }
      }
    }
  }
  _tile_release();
}
