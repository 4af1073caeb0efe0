// SPDX-License-Identifier: Apache-2.0
// Attention within long sequences, one head at a time. Included by kernels_impl.h only, inside its namespace.
//
// Scores are kept transposed, [keys][queries], for as many queries as a panel has columns: they stay in the
// cache, the softmax runs down columns and needs no sums across a vector, and its weights are at once a
// factor of the product with the values. Products are those of `Product`; the softmax is f32.
#pragma once

#if defined(__AVX512F__)
constexpr int64_t kQueryTile = 8;  // queries whose outputs are summed at once
#else
constexpr int64_t kQueryTile = 4;
#endif

// Rows of a head are too far apart for the CPU to guess the next one.
constexpr int64_t kPrefetchTokens = 32;

template <typename Element>
void Prefetch(const Element* from, int64_t count) {
  for (int64_t i = 0; i < count; i += 64 / sizeof(Element)) __builtin_prefetch(from + i);
}

// A token's query (part 0), key (1) or value (2), of a matrix in rows.
template <typename Element>
const Element* HeadOf(const AttentionTask& task, int64_t token, int64_t part) {
  return static_cast<const Element*>(task.qkv) + (task.row + token) * task.qkv_layout.cols + part * task.dim +
         task.head_offset;
}

// A token's head vector, turned by the token's position. It may be turned where it is.
template <typename Element>
void TurnHead(const AttentionTask& task, int64_t token, const Element* from, Element* head) {
  if (task.rope_cos == nullptr || token < task.rope_skip) {
    __builtin_memmove(static_cast<void*>(head), from, static_cast<size_t>(task.head_size) * sizeof(Element));
    return;
  }
  const int64_t pairs = task.head_size / 2;
  const float* cosines = task.rope_cos + (token - task.rope_skip) * pairs;
  const float* sines = task.rope_sin + (token - task.rope_skip) * pairs;
  for (int64_t group = 0; group < pairs; group += task.rope_group) {
    for (int64_t j = group; j < group + task.rope_group; j += kLanes) {
      const int64_t count = group + task.rope_group - j;
      const int64_t first = group + j;
      const int64_t second = first + task.rope_group;
      const Vec u = LoadPart(from + first, count);
      const Vec v = LoadPart(from + second, count);
      const Vec cosine = LoadPart(cosines + j, count);
      const Vec sine = LoadPart(sines + j, count);
      StorePart(head + first, u * cosine - v * sine, count);
      StorePart(head + second, v * cosine + u * sine, count);
    }
  }
}

// Queries (part 0) or keys (1) of up to `width` tokens from `first` on, packed as by PackRows. `heads` is
// space for [width][head_size].
template <typename Product>
void PackHeads(const AttentionTask& task, int64_t part, int64_t first, int64_t width,
               typename Product::Element* heads, typename Product::Packed* to) {
  const int64_t left = task.length - first;
  const int64_t count = left < width ? left : width;
  for (int64_t i = 0; i < count; ++i) {
    const auto* from = HeadOf<typename Product::Element>(task, first + i, part);
    Prefetch(from + kPrefetchTokens * task.qkv_layout.cols, task.head_size);
    TurnHead(task, first + i, from, heads + i * task.head_size);
  }
  PackRows<Product>(heads, count, task.head_size, task.head_size, width, to);
}

// Values, as panels of [key_steps][kPanel]; tokens beyond the last are zero.
template <typename Product>
void PackValues(const AttentionTask& task, int64_t key_steps, typename Product::Packed* to) {
  const auto* from = HeadOf<typename Product::Element>(task, 0, 2);
  for (int64_t step = 0; step < key_steps; ++step) {
    for (int64_t column = 0; column < RoundUp(task.head_size, kPanel); column += kLanes) {
      Vec rows[Product::kPerStep] = {};
      for (int64_t i = 0; i < Product::kPerStep; ++i) {
        const int64_t token = step * Product::kPerStep + i;
        if (column == 0) Prefetch(from + (token + kPrefetchTokens) * task.qkv_layout.cols, task.head_size);
        if (token >= task.length) continue;
        rows[i] = LoadPart(from + token * task.qkv_layout.cols + column, task.head_size - column);
      }
      Product::StoreStep(to + (column / kPanel * key_steps + step) * kPanel + column % kPanel, rows);
    }
  }
}

// The parts of a task's space.
template <typename Product>
struct AttentionParts {
  using Packed = typename Product::Packed;

  AttentionParts(int64_t length, int64_t size, void* space)
      : head_steps(Steps<Product>(size)),
        key_steps(Steps<Product>(length)),
        keys(static_cast<Packed*>(space)),
        values(keys + RoundUp(length, kRowTile) * head_steps),
        queries(values + RoundUp(size, kPanel) * key_steps),
        scores(queries + kPanel * head_steps),
        heads(reinterpret_cast<typename Product::Element*>(scores + RoundUp(length, kRowTile) * kPanel)) {}

  int64_t head_steps;
  int64_t key_steps;
  Packed* keys;                      // tiles of [head_steps][kRowTile]
  Packed* values;                    // panels of [key_steps][kPanel]
  Packed* queries;                   // [head_steps][kPanel]
  Packed* scores;                    // f32 [keys][kPanel], then weights [key_steps][kPanel]
  typename Product::Element* heads;  // of PackHeads
};

template <typename Product>
size_t AttentionSpace(int64_t length, int64_t head_size) {
  const int64_t words = RoundUp(length, kRowTile) * (Steps<Product>(head_size) + kPanel) +
                        RoundUp(head_size, kPanel) * Steps<Product>(length) +
                        kPanel * (Steps<Product>(head_size) + head_size);
  return static_cast<size_t>(words) * sizeof(typename Product::Packed);
}

// Outputs of up to `vectors` vectors of queries from `first` on.
template <typename Product, int vectors>
void AttendBlock(const AttentionTask& task, const AttentionParts<Product>& parts, int64_t first) {
  using Element = typename Product::Element;
  const int64_t left = task.length - first;
  const int64_t queries = left < vectors * kLanes ? left : vectors * kLanes;
  PackHeads<Product>(task, 0, first, kPanel, parts.heads, parts.queries);

  auto* scores = reinterpret_cast<float*>(parts.scores);
  Vec most[vectors];
  for (int v = 0; v < vectors; ++v) most[v] = Splat(-__builtin_inff());
  for (int64_t key = 0; key < task.length; key += kRowTile) {
    Vec sums[kRowTile][vectors];
    MultiplyTile<Product>(parts.keys + key * parts.head_steps, kRowTile, parts.queries, parts.head_steps,
                          sums);
    for (int64_t r = 0; r < kRowTile && key + r < task.length; ++r) {
      for (int v = 0; v < vectors; ++v) {
        most[v] = Max(most[v], sums[r][v]);
        Store(scores + (key + r) * kPanel + v * kLanes, sums[r][v]);
      }
    }
  }

  // The weights take the place of scores that have been read.
  const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(task.head_size));
  Vec total[vectors] = {};
  for (int64_t step = 0; step < parts.key_steps; ++step) {
    Vec weights[vectors][Product::kPerStep] = {};
    for (int v = 0; v < vectors; ++v) {
      for (int64_t i = 0; i < Product::kPerStep; ++i) {
        const int64_t key = step * Product::kPerStep + i;
        if (key >= task.length) continue;
        const Vec score = Load(scores + key * kPanel + v * kLanes);
        weights[v][i] = NegativeExp((score - most[v]) * scale, static_cast<const Element*>(nullptr));
        total[v] += weights[v][i];
      }
    }
    for (int v = 0; v < vectors; ++v) {
      Product::StoreStep(parts.scores + step * kPanel + v * kLanes, weights[v]);
    }
  }
  float inverse[vectors * kLanes];
  for (int v = 0; v < vectors; ++v) Store(inverse + v * kLanes, 1.0F / total[v]);

  for (int64_t column = 0; column < task.head_size; column += kPanel) {
    for (int64_t query = 0; query < queries; query += kQueryTile) {
      Vec sums[kQueryTile][kPanelVectors];
      MultiplyTile<Product>(parts.scores + query, kPanel, parts.values + column * parts.key_steps,
                            parts.key_steps, sums);
      for (int64_t r = 0; r < kQueryTile && query + r < queries; ++r) {
        Element* to = static_cast<Element*>(task.out) +
                      (task.row + first + query + r) * task.out_layout.cols + task.head_offset;
        for (int64_t v = 0; v < kPanelVectors && column + v * kLanes < task.head_size; ++v) {
          const int64_t at = column + v * kLanes;
          StorePart(to + at, sums[r][v] * inverse[query + r], task.head_size - at);
        }
      }
    }
  }
}

template <typename Product>
void SpatialAttention(const AttentionTask& task) {
  const AttentionParts<Product> parts(task.length, task.head_size, task.space);
  for (int64_t key = 0; key < task.length; key += kRowTile) {
    PackHeads<Product>(task, 1, key, kRowTile, parts.heads, parts.keys + key * parts.head_steps);
  }
  PackValues<Product>(task, parts.key_steps, parts.values);
  for (int64_t first = 0; first < task.length; first += kPanel) {
    if (task.length - first > kLanes) {
      AttendBlock<Product, kPanelVectors>(task, parts, first);
    } else {
      AttendBlock<Product, 1>(task, parts, first);
    }
  }
}
