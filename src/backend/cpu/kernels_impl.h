// SPDX-License-Identifier: Apache-2.0
// The kernels, for the instruction set that the including source is compiled for. That source defines
// CALFVO_ISA, a namespace of its own, so that no function compiled for one instruction set can be linked
// where another is expected; for the same reason nothing of the standard library is called from here.
//
// A matrix product keeps a tile of kRowTile × kPanel sums in registers while it runs along all of `in`.
// Weights are packed once into panels of kPanel columns, rows of x into tiles of kRowTile rows just before
// use: both are then read in order. Every sum is taken in the same order whatever the tile it falls into, so
// that results do not depend on how the work was split.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/kernels.h"
#include "tensor/half.h"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace calfvo {
namespace CALFVO_ISA {

#include "backend/cpu/vector_math.h"

#if defined(__AVX512F__)
constexpr int64_t kRowTile = 12;
#else
constexpr int64_t kRowTile = 6;
#endif
constexpr int kPanelVectors = 2;
constexpr int64_t kPanel = kPanelVectors * kLanes;

constexpr int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// How elements are multiplied: f32 one at a time, bf16 in pairs whose two products are added in one
// instruction.
struct F32Product {
  using Element = float;
  using Packed = float;  // what one step along `in` takes of a row or a column
  static constexpr int64_t kPerStep = 1;
  static Packed Take(const float* x, int64_t /*left*/) { return *x; }
  static Vec MultiplyAdd(Packed a, const Packed* b, Vec sum) { return sum + a * Load(b); }
};

#if defined(__AVX512BF16__)
struct Bf16Product {
  using Element = BFloat16;
  using Packed = uint32_t;
  static constexpr int64_t kPerStep = 2;
  static Packed Take(const BFloat16* x, int64_t left) {
    return uint32_t{x[0].bits} | (left > 1 ? uint32_t{x[1].bits} << 16 : 0);
  }
  static Vec MultiplyAdd(Packed a, const Packed* b, Vec sum) {
    const __m512i pairs = _mm512_loadu_si512(b);
    return reinterpret_cast<Vec>(
        _mm512_dpbf16_ps(reinterpret_cast<__m512>(sum), reinterpret_cast<__m512bh>(pairs),
                         reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a)))));
  }
};
#endif

template <typename Product>
int64_t Steps(int64_t in) {
  return (in + Product::kPerStep - 1) / Product::kPerStep;
}

template <typename Product>
size_t PanelSize(int64_t in) {
  return static_cast<size_t>(Steps<Product>(in) * kPanel) * sizeof(typename Product::Packed);
}

template <typename Product>
size_t PackedSize(int64_t out, int64_t in) {
  return static_cast<size_t>(RoundUp(out, kPanel) / kPanel) * PanelSize<Product>(in);
}

inline float ToElement(float value, const float* /*type*/) {
  return value;
}
inline BFloat16 ToElement(float value, const BFloat16* /*type*/) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

template <typename Product>
void Pack(const float* weight, int64_t out, int64_t in, void* packed) {
  using Element = typename Product::Element;
  auto* to = static_cast<typename Product::Packed*>(packed);
  for (int64_t first = 0; first < out; first += kPanel) {
    for (int64_t k = 0; k < in; k += Product::kPerStep) {
      for (int64_t column = first; column < first + kPanel; ++column) {
        Element elements[2] = {};
        for (int64_t i = 0; column < out && i < Product::kPerStep && k + i < in; ++i) {
          elements[i] = ToElement(weight[column * in + k + i], elements);
        }
        *to++ = Product::Take(elements, Product::kPerStep);
      }
    }
  }
}

// Rows of x, interleaved step by step; rows beyond `rows` are zero.
template <typename Product>
void PackRows(const typename Product::Element* x, int64_t rows, int64_t stride, int64_t in,
              typename Product::Packed* to) {
  for (int64_t row = 0; row < kRowTile; ++row) {
    typename Product::Packed* at = to + row;
    for (int64_t k = 0; k < in; k += Product::kPerStep, at += kRowTile) {
      *at = row < rows ? Product::Take(x + row * stride + k, in - k) : 0;
    }
  }
}

// sums[row][vector] = rows · panel.
template <typename Product>
inline void MultiplyTile(const typename Product::Packed* a, const typename Product::Packed* b, int64_t steps,
                         Vec (&sums)[kRowTile][kPanelVectors]) {
  Vec local[kRowTile][kPanelVectors] = {};
  for (int64_t k = 0; k < steps; ++k) {
#pragma GCC unroll 16
    for (int row = 0; row < kRowTile; ++row) {
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) {
        local[row][v] = Product::MultiplyAdd(a[row], b + v * kLanes, local[row][v]);
      }
    }
    a += kRowTile;
    b += kPanel;
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRowTile; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) sums[row][v] = local[row][v];
  }
}

// `count` elements, at most a vector's worth.
template <typename T>
void StorePart(T* to, Vec values, int64_t count) {
  if (count >= kLanes) {
    Store(to, values);
    return;
  }
  T elements[kLanes];
  Store(elements, values);
  for (int64_t i = 0; i < count; ++i) to[i] = elements[i];
}
inline Vec LoadPart(const float* from, int64_t count) {
  if (count >= kLanes) return Load(from);
  float elements[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) elements[i] = from[i];
  return Load(elements);
}

// Adds the bias of column `column`, finishes as the task says and stores up to a vector of sums of row `row`.
template <typename Element>
void StoreSums(const LinearTask& task, Vec sums, int64_t row, int64_t column) {
  const int64_t count = task.out - column;
  if (count <= 0) return;
  const Vec value = sums + Load(task.bias + column);
  const int64_t offset = row * task.y_stride + column;
  switch (task.epilogue) {
    case Epilogue::kStore:
      StorePart(static_cast<Element*>(task.y) + offset, value, count);
      break;
    case Epilogue::kGelu:
      StorePart(static_cast<Element*>(task.y) + offset, Gelu(value), count);
      break;
    case Epilogue::kStream:
      StorePart(static_cast<float*>(task.y) + offset, value, count);
      break;
    case Epilogue::kAddStream: {
      float* to = static_cast<float*>(task.y) + offset;
      StorePart(to, LoadPart(to, count) + value, count);
      break;
    }
  }
}

// Space for one task's rows of x, packed.
constexpr int64_t kTaskRows = 8 * kRowTile;

template <typename Product>
size_t PackSpace(int64_t in) {
  return static_cast<size_t>(kTaskRows * Steps<Product>(in)) * sizeof(typename Product::Packed);
}

template <typename Product>
void Linear(const LinearTask& task) {
  using Packed = typename Product::Packed;
  const int64_t steps = Steps<Product>(task.in);
  auto* space = static_cast<Packed*>(task.pack_space);
  for (int64_t first = 0; first < task.rows; first += kTaskRows) {
    const int64_t rows = task.rows - first < kTaskRows ? task.rows - first : kTaskRows;
    const auto* x = static_cast<const typename Product::Element*>(task.x) + first * task.in;
    for (int64_t row = 0; row < rows; row += kRowTile) {
      PackRows<Product>(x + row * task.in, rows - row, task.in, task.in, space + row * steps);
    }
    // A panel stays in the cache while all rows pass it.
    const auto* panel = static_cast<const Packed*>(task.packed);
    for (int64_t column = 0; column < task.out; column += kPanel, panel += steps * kPanel) {
      for (int64_t row = 0; row < rows; row += kRowTile) {
        Vec sums[kRowTile][kPanelVectors];
        MultiplyTile<Product>(space + row * steps, panel, steps, sums);
        for (int64_t r = 0; r < kRowTile && row + r < rows; ++r) {
          for (int v = 0; v < kPanelVectors; ++v) {
            StoreSums<typename Product::Element>(task, sums[r][v], first + row + r, column + v * kLanes);
          }
        }
      }
    }
  }
}

template <typename Element>
void LayerNorm(const NormTask& task) {
  const int64_t whole = task.cols / kLanes * kLanes;
  for (int64_t row = 0; row < task.rows; ++row) {
    const float* x = task.x + row * task.cols;
    auto* out = static_cast<Element*>(task.out) + row * task.cols;
    Vec sum = {};
    for (int64_t i = 0; i < whole; i += kLanes) sum += Load(x + i);
    sum += LoadPart(x + whole, task.cols - whole);
    const float mean = Sum(sum) / static_cast<float>(task.cols);
    Vec squares = {};
    for (int64_t i = 0; i < whole; i += kLanes) {
      const Vec deviation = Load(x + i) - mean;
      squares += deviation * deviation;
    }
    float variance = Sum(squares);
    for (int64_t i = whole; i < task.cols; ++i) variance += (x[i] - mean) * (x[i] - mean);
    variance /= static_cast<float>(task.cols);
    const float scale = 1.0F / __builtin_sqrtf(variance + task.epsilon);
    for (int64_t i = 0; i < task.cols; i += kLanes) {
      const int64_t count = task.cols - i;
      Vec y = (LoadPart(x + i, count) - mean) * scale * LoadPart(task.gain + i, count) +
              LoadPart(task.bias + i, count);
      if (task.gelu) y = Gelu(y);
      StorePart(out + i, y, count);
    }
  }
}

// Attention runs in f32 whatever the element type: scores of kRowTile queries against all keys stay in the
// cache.
inline size_t AttentionSpace(int64_t length, int64_t head_size) {
  const int64_t rows = RoundUp(length, kRowTile);
  const int64_t keys = RoundUp(length, kPanel);
  const int64_t values = RoundUp(head_size, kPanel);
  return static_cast<size_t>(rows * head_size + head_size * keys + length * values + 2 * kRowTile * keys +
                             head_size) *
         sizeof(float);
}

inline float ToFloatElement(float value) {
  return value;
}
inline float ToFloatElement(BFloat16 value) {
  return __builtin_bit_cast(float, uint32_t{value.bits} << 16);
}

// One head vector of token `token` in f32, turned by its position.
template <typename Element>
void LoadHead(const AttentionTask& task, int64_t token, int64_t part, float* head) {
  const Element* from =
      static_cast<const Element*>(task.qkv) + token * task.qkv_stride + part * task.dim + task.head_offset;
  for (int64_t i = 0; i < task.head_size; ++i) head[i] = ToFloatElement(from[i]);
  if (task.rope_cos == nullptr || token < task.rope_skip || part == 2) return;
  const int64_t pairs = task.head_size / 2;
  const float* cosines = task.rope_cos + (token - task.rope_skip) * pairs;
  const float* sines = task.rope_sin + (token - task.rope_skip) * pairs;
  for (int64_t group = 0; group < pairs; group += task.rope_group) {
    float* first = head + 2 * group;
    float* second = first + task.rope_group;
    for (int64_t j = 0; j < task.rope_group; ++j) {
      const float u = first[j];
      const float v = second[j];
      first[j] = u * cosines[group + j] - v * sines[group + j];
      second[j] = v * cosines[group + j] + u * sines[group + j];
    }
  }
}

// Softmax of scores[row][0, length) in place, interleaved with kRowTile rows for the product with the values.
inline void SoftmaxRow(float* scores, int64_t length, float scale) {
  const int64_t padded = RoundUp(length, kLanes);
  for (int64_t j = length; j < padded; ++j) scores[j] = -__builtin_inff();
  Vec most = Load(scores);
  for (int64_t j = kLanes; j < padded; j += kLanes) most = Max(most, Load(scores + j));
  const float top = Max(most);
  Vec sum = {};
  for (int64_t j = 0; j < padded; j += kLanes) {
    const Vec weight = Exp((Load(scores + j) - top) * scale);
    Store(scores + j, weight);
    sum += weight;
  }
  const float inverse = 1.0F / Sum(sum);
  for (int64_t j = 0; j < padded; j += kLanes) Store(scores + j, Load(scores + j) * inverse);
}

template <typename Element>
void Attention(const AttentionTask& task) {
  const int64_t length = task.length;
  const int64_t size = task.head_size;
  const int64_t keys = RoundUp(length, kPanel);
  const int64_t value_columns = RoundUp(size, kPanel);
  auto* queries = static_cast<float*>(task.space);                 // tiles of [size][kRowTile]
  float* key_panels = queries + RoundUp(length, kRowTile) * size;  // panels of [size][kPanel]
  float* value_panels = key_panels + size * keys;                  // panels of [length][kPanel]
  float* scores = value_panels + length * value_columns;           // [kRowTile][keys]
  float* weights = scores + kRowTile * keys;                       // [length][kRowTile]

  for (int64_t i = 0; i < RoundUp(length, kRowTile) * size; ++i) queries[i] = 0.0F;
  for (int64_t i = 0; i < size * keys + length * value_columns; ++i) key_panels[i] = 0.0F;
  float* head = weights + kRowTile * keys;  // [size]
  for (int64_t t = 0; t < length; ++t) {
    LoadHead<Element>(task, t, 0, head);
    for (int64_t c = 0; c < size; ++c) queries[(t / kRowTile * size + c) * kRowTile + t % kRowTile] = head[c];
    LoadHead<Element>(task, t, 1, head);
    for (int64_t c = 0; c < size; ++c) key_panels[(t / kPanel * size + c) * kPanel + t % kPanel] = head[c];
    LoadHead<Element>(task, t, 2, head);
    for (int64_t c = 0; c < size; ++c)
      value_panels[(c / kPanel * length + t) * kPanel + c % kPanel] = head[c];
  }

  const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(size));
  for (int64_t first = 0; first < length; first += kRowTile) {
    Vec sums[kRowTile][kPanelVectors];
    for (int64_t column = 0; column < keys; column += kPanel) {
      MultiplyTile<F32Product>(queries + first * size, key_panels + column * size, size, sums);
      for (int64_t r = 0; r < kRowTile; ++r) {
        for (int v = 0; v < kPanelVectors; ++v) Store(scores + r * keys + column + v * kLanes, sums[r][v]);
      }
    }
    for (int64_t r = 0; r < kRowTile; ++r) {
      SoftmaxRow(scores + r * keys, length, scale);
      for (int64_t j = 0; j < length; ++j) weights[j * kRowTile + r] = scores[r * keys + j];
    }
    for (int64_t column = 0; column < size; column += kPanel) {
      MultiplyTile<F32Product>(weights, value_panels + column * length, length, sums);
      for (int64_t r = 0; r < kRowTile && first + r < length; ++r) {
        for (int64_t v = 0; v < kPanelVectors && column + v * kLanes < size; ++v) {
          const int64_t at = column + v * kLanes;
          StorePart(static_cast<Element*>(task.out) + (first + r) * task.out_stride + task.head_offset + at,
                    sums[r][v], size - at);
        }
      }
    }
  }
}

// One tile of sums, over factors that never leave the first-level cache.
template <typename Product>
double BareFlop(int64_t steps) {
  constexpr int64_t kBlock = 64;
  alignas(64) static typename Product::Packed rows[kBlock * kRowTile];
  alignas(64) static typename Product::Packed panel[kBlock * kPanel];
  for (int64_t k = 0; k < steps; k += kBlock) {
    Vec sums[kRowTile][kPanelVectors];
    MultiplyTile<Product>(rows, panel, kBlock, sums);
    asm volatile("" : : "m"(sums));  // so that the loop is not left out
  }
  const int64_t products = steps / kBlock * kBlock * kRowTile * kPanel * Product::kPerStep;
  return 2.0 * static_cast<double>(products);
}

template <typename Product>
constexpr CpuKernels MakeKernels(std::string_view name, bool bf16) {
  using Element = typename Product::Element;
  return {name,
          bf16,
          kPanel,
          kTaskRows,
          PackedSize<Product>,
          Pack<Product>,
          PanelSize<Product>,
          PackSpace<Product>,
          Linear<Product>,
          LayerNorm<Element>,
          AttentionSpace,
          Attention<Element>,
          BareFlop<Product>};
}

}  // namespace CALFVO_ISA
}  // namespace calfvo
