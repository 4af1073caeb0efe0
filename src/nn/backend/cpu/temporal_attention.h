// SPDX-License-Identifier: Apache-2.0
// Attention over the frames of a window at each position. Included by kernels_impl.h only, inside its
// namespace.
//
// The sequences are so short that a vector has lanes for the queries of several heads. Their scores with the
// keys of one frame are sums across vectors, all lanes' at once (SumEach); the softmax then runs down the
// frames, lane by lane. Arithmetic is f32 whatever the element type.
#pragma once

// How a task's space is divided. Lane h·frames + i stands for the query of frame i in head h of those at
// hand. Head vectors are cut into chunks of a vector, the same chunk of all rows side by side.
struct TemporalParts {
  TemporalParts(int64_t frame_count, int64_t head_size)
      : frames(frame_count),
        heads(frames < kLanes ? kLanes / frames : 1),
        lanes(RoundUp(heads * frames, kLanes)),
        chunks(RoundUp(head_size, kLanes) / kLanes) {}

  int64_t frames;
  int64_t heads;  // that are taken together
  int64_t lanes;
  int64_t chunks;

  int64_t part_size() const { return chunks * lanes * kLanes; }  // of all queries, or keys, or values
  int64_t At(int64_t chunk, int64_t head, int64_t frame) const {
    return (chunk * lanes + head * frames + frame) * kLanes;
  }
};

inline size_t TemporalSpace(int64_t frames, int64_t head_size) {
  const TemporalParts parts(frames, head_size);
  return static_cast<size_t>(3 * parts.part_size() + (frames + 2) * parts.lanes) * sizeof(float);
}

// Weights [frames][lanes], not yet divided by their sum, whose inverse goes to `inverse` [lanes]. Lanes
// without a query get values that are not used.
template <typename Element>
[[gnu::always_inline]] inline void TemporalWeights(const TemporalParts& parts, int64_t head_size,
                                                   const float* queries, const float* keys, float* weights,
                                                   float* inverse) {
  const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(head_size));
  for (int64_t first = 0; first < parts.lanes; first += kLanes) {
    Vec most = Splat(-__builtin_inff());
    for (int64_t frame = 0; frame < parts.frames; ++frame) {
      Vec products[kLanes] = {};
      for (int64_t chunk = 0; chunk < parts.chunks; ++chunk) {
#pragma GCC unroll 16
        for (int lane = 0; lane < kLanes; ++lane) {
          const int64_t head = (first + lane) / parts.frames;
          const Vec key = Load(keys + parts.At(chunk, head < parts.heads ? head : 0, frame));
          products[lane] += Load(queries + parts.At(chunk, 0, first + lane)) * key;
        }
      }
      const Vec scores = SumEach(products);
      most = Max(most, scores);
      Store(weights + frame * parts.lanes + first, scores);
    }
    Vec total = {};
    for (int64_t frame = 0; frame < parts.frames; ++frame) {
      float* at = weights + frame * parts.lanes + first;
      const Vec weight = NegativeExp((Load(at) - most) * scale, static_cast<const Element*>(nullptr));
      total += weight;
      Store(at, weight);
    }
    Store(inverse + first, 1.0F / total);
  }
}

// The heads from `first_head` on that are taken together, at the position of row `row` in the first frame.
template <typename Element, bool tiled>
[[gnu::always_inline]] inline void TemporalHeads(const TemporalTask& task, const TemporalParts& parts,
                                                 int64_t row, int64_t first_head) {
  auto* rows = static_cast<float*>(task.space);
  const float* queries = rows;
  const float* keys = queries + parts.part_size();
  const float* values = keys + parts.part_size();
  float* weights = rows + 3 * parts.part_size();
  float* inverse = weights + parts.frames * parts.lanes;
  const MatrixLayout in_layout = Known<tiled>(task.qkv_layout);
  const MatrixLayout out_layout = Known<tiled>(task.out_layout);
  const int64_t left = task.heads - first_head;
  const int64_t heads = left < parts.heads ? left : parts.heads;

  // In rows and in panels it is equally far from frame to frame.
  const auto* first_row = static_cast<const Element*>(task.qkv) + in_layout.RowOffset<Element>(row);
  const int64_t frame_step = in_layout.RowOffset<Element>(task.row_step);
  for (int64_t part = 0; part < 3; ++part) {
    for (int64_t head = 0; head < heads; ++head) {
      for (int64_t chunk = 0; chunk < parts.chunks; ++chunk) {
        const int64_t at = chunk * kLanes;
        const int64_t column = part * task.dim + (first_head + head) * task.head_size + at;
        const int64_t count = task.head_size - at;
        float* to = rows + part * parts.part_size() + parts.At(chunk, head, 0);
        if (count >= kLanes && in_layout.Together<Element>(column) >= kLanes) {
          const Element* from = first_row + in_layout.ColumnOffset<Element>(column);
          const Element* soon = first_row + in_layout.ColumnOffset<Element>(column + heads * task.head_size);
          for (int64_t frame = 0; frame < parts.frames; ++frame) {
            if constexpr (tiled) __builtin_prefetch(soon + frame * frame_step, 0, 2);
            Store(to + frame * kLanes, Load(from + frame * frame_step));
          }
        } else {
          for (int64_t frame = 0; frame < parts.frames; ++frame) {
            Store(to + frame * kLanes, LoadColumns(in_layout, first_row + frame * frame_step, column, count));
          }
        }
      }
    }
  }
  TemporalWeights<Element>(parts, task.head_size, queries, keys, weights, inverse);

  constexpr int64_t kTogether = 4;  // queries that a value is loaded for
  for (int64_t head = 0; head < heads; ++head) {
    for (int64_t query = 0; query < parts.frames; query += kTogether) {
      const int64_t lane = head * parts.frames + query;
      Element* to[kTogether];
      for (int64_t i = 0; i < kTogether; ++i) {
        to[i] = static_cast<Element*>(task.out) +
                out_layout.RowOffset<Element>(row + (query + i) * task.row_step);
      }
      for (int64_t chunk = 0; chunk < parts.chunks; ++chunk) {
        Vec sums[kTogether] = {};
        for (int64_t frame = 0; frame < parts.frames; ++frame) {
          const Vec value = Load(values + parts.At(chunk, head, frame));
          for (int64_t i = 0; i < kTogether; ++i) sums[i] += weights[frame * parts.lanes + lane + i] * value;
        }
        for (int64_t i = 0; i < kTogether && query + i < parts.frames; ++i) {
          StoreColumns(out_layout, to[i], (first_head + head) * task.head_size + chunk * kLanes,
                       sums[i] * inverse[lane + i], task.head_size - chunk * kLanes);
        }
      }
    }
  }
}

// `frames` is the task's number of frames; where it is known to the compiler the loops unfold. In panels, the
// same columns of the positions are close together, in rows all columns of a position.
template <typename Element, bool tiled>
[[gnu::always_inline]] inline void TemporalOf(const TemporalTask& task, int64_t frames) {
  const TemporalParts parts(frames, task.head_size);
  const int64_t at_once = tiled ? task.positions : 1;
  for (int64_t first = 0; first < task.positions; first += at_once) {
    for (int64_t head = 0; head < task.heads; head += parts.heads) {
      for (int64_t i = first; i < first + at_once; ++i) {
        TemporalHeads<Element, tiled>(task, parts, task.row + i, head);
      }
    }
  }
}

template <typename Element, bool tiled>
void TemporalAttention(const TemporalTask& task) {
  if (task.frames == 8) {  // the window of both models
    TemporalOf<Element, tiled>(task, 8);
  } else {
    TemporalOf<Element, tiled>(task, task.frames);
  }
}
