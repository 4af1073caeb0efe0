// SPDX-License-Identifier: Apache-2.0
// Attention over the frames of a window at one position. Included by kernels_impl.h only, inside its
// namespace.
//
// The sequences are so short that a vector holds the queries of several heads. Their scores with the key of
// one frame are sums across vectors, all lanes' at once (SumEach); the softmax then runs down the frames,
// lane by lane. Arithmetic is f32 whatever the element type.
#pragma once

// Heads that are taken together.
inline int64_t TemporalHeads(int64_t frames) {
  return frames < kLanes ? kLanes / frames : 1;
}

inline size_t TemporalSpace(int64_t frames, int64_t head_size) {
  const int64_t queries = TemporalHeads(frames) * frames;
  const int64_t rows = 3 * queries * RoundUp(head_size, kLanes);
  return static_cast<size_t>(rows + (frames + 1) * RoundUp(queries, kLanes)) * sizeof(float);
}

template <typename Element>
void TemporalAttention(const TemporalTask& task) {
  const int64_t frames = task.frames;
  const int64_t width = RoundUp(task.head_size, kLanes);
  const int64_t most_heads = TemporalHeads(frames);
  const int64_t lanes = RoundUp(most_heads * frames, kLanes);
  auto* queries = static_cast<float*>(task.space);  // [heads][frames][width], as are keys and values
  float* keys = queries + most_heads * frames * width;
  float* values = keys + most_heads * frames * width;
  float* weights = values + most_heads * frames * width;  // [frames of keys][heads, frames of queries]
  float* inverse = weights + frames * lanes;              // [heads, frames of queries]
  const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(task.head_size));

  for (int64_t head = 0; head < task.heads; head += most_heads) {
    const int64_t heads = task.heads - head < most_heads ? task.heads - head : most_heads;
    const int64_t count = heads * frames;
    float* to = queries;
    for (int64_t part = 0; part < 3; ++part) {
      for (int64_t i = 0; i < count; ++i) {
        const Element* from = static_cast<const Element*>(task.qkv) + i % frames * task.qkv_stride +
                              part * task.dim + (head + i / frames) * task.head_size;
        for (int64_t c = 0; c < width; c += kLanes) {
          Store(to + (part * most_heads * frames + i) * width + c, LoadPart(from + c, task.head_size - c));
        }
      }
    }

    for (int64_t first = 0; first < count; first += kLanes) {
      // Lanes beyond the last query repeat it.
      const float* lane_query[kLanes];
      const float* lane_keys[kLanes];
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const int64_t i = first + lane < count ? first + lane : count - 1;
        lane_query[lane] = queries + i * width;
        lane_keys[lane] = keys + i / frames * frames * width;
      }
      Vec most = Splat(-__builtin_inff());
      for (int64_t frame = 0; frame < frames; ++frame) {
        Vec products[kLanes] = {};
        for (int64_t c = 0; c < width; c += kLanes) {
#pragma GCC unroll 16
          for (int lane = 0; lane < kLanes; ++lane) {
            products[lane] += Load(lane_query[lane] + c) * Load(lane_keys[lane] + frame * width + c);
          }
        }
        const Vec scores = SumEach(products);
        most = Max(most, scores);
        Store(weights + frame * lanes + first, scores);
      }
      Vec total = {};
      for (int64_t frame = 0; frame < frames; ++frame) {
        float* at = weights + frame * lanes + first;
        const Vec weight = NegativeExp((Load(at) - most) * scale, static_cast<const Element*>(nullptr));
        total += weight;
        Store(at, weight);
      }
      Store(inverse + first, 1.0F / total);
    }

    for (int64_t i = 0; i < count; ++i) {
      Element* out = static_cast<Element*>(task.out) + i % frames * task.out_stride +
                     (head + i / frames) * task.head_size;
      const float* value = values + i / frames * frames * width;
      for (int64_t c = 0; c < width; c += kLanes) {
        Vec sum = {};
        for (int64_t frame = 0; frame < frames; ++frame) {
          sum += weights[frame * lanes + i] * Load(value + frame * width + c);
        }
        StorePart(out + c, sum * inverse[i], task.head_size - c);
      }
    }
  }
}
