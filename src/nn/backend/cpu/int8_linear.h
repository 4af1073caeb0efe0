// SPDX-License-Identifier: Apache-2.0
// Linear maps in 8-bit integers, and the rows that they read (Int8Rows). Included by kernels_impl.h only,
// inside its namespace.
//
// Tiles are as in kernels_impl.h. Where the result becomes Int8Rows, a task has all columns of its rows:
// their floats wait in its space until the largest of a row is known.
#pragma once

constexpr float kMostInt8 = 127.0F;

// Adding this to a number up to ±127 rounds it to an integer, which the lowest byte holds, plus 128.
constexpr float kToByte = 12582912.0F + Int8Rows::kZero;  // 1.5 · 2²³ + 128

inline void StoreBytes(uint8_t* to, Vec rounded) {
#if defined(__AVX512F__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(rounded)));
#elif defined(__AVX2__)
  const __m256i lowest = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i bytes = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(rounded), lowest);
  const __m128i both = _mm_or_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), both);
#else
  typedef uint8_t Bytes __attribute__((vector_size(kLanes)));
  const Bytes bytes = __builtin_convertvector(reinterpret_cast<UVec>(rounded), Bytes);
  __builtin_memcpy(to, &bytes, sizeof(bytes));
#endif
}

template <int half = kLanes / 2>
inline float Largest(Vec v) {
  const Vec most = Max(JoinHalves<half, false>(v, v), JoinHalves<half, true>(v, v));
  if constexpr (half > 1) {
    return Largest<half / 2>(most);
  } else {
    return most[0];
  }
}

// The largest magnitude of `count` values, lane by lane, and of `most`.
template <typename Element>
inline Vec LargestSizes(const Element* x, int64_t count, Vec most) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const Vec value = LoadPart(x + i, count - i);
    most = Max(most, Max(value, -value));
  }
  return most;
}

template <typename Element>
inline void QuantiseValues(const Element* x, int64_t count, float inverse, uint8_t* to) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) StoreBytes(to + i, Load(x + i) * inverse + kToByte);
  if (i < count) {
    uint8_t bytes[kLanes];
    StoreBytes(bytes, LoadPart(x + i, count - i) * inverse + kToByte);
    __builtin_memcpy(to + i, bytes, static_cast<size_t>(count - i));
  }
}

// Pairs of elements in words: the results of both share a word, too.
inline void QuantiseValues(const BFloat16* x, int64_t count, float inverse, uint8_t* to) {
  constexpr int64_t kPairs = 2 * kLanes;
  int64_t i = 0;
  for (; i + kPairs <= count; i += kPairs) {
    UVec words;
    __builtin_memcpy(&words, x + i, sizeof(words));
    const Vec even = reinterpret_cast<Vec>(words << 16) * inverse + kToByte;
    const Vec odd = reinterpret_cast<Vec>(words & 0xffff0000U) * inverse + kToByte;
    const HalfVec bytes = Narrow((reinterpret_cast<UVec>(even) & 0xff) | reinterpret_cast<UVec>(odd) << 8);
    __builtin_memcpy(to + i, &bytes, sizeof(bytes));
  }
  if (i < count) QuantiseValues<BFloat16>(x + i, count - i, inverse, to + i);
}

inline float InverseScale(float most) {
  return most > 0.0F ? kMostInt8 / most : 0.0F;
}

// A row of Int8Rows, of values whose largest magnitude is the largest lane of `most`.
template <typename Element>
inline void QuantiseRow(const Element* x, int64_t count, Vec most, uint8_t* row) {
  const float largest = Largest(most);
  QuantiseValues(x, count, InverseScale(largest), row);
  Int8Rows{count}.SetScale(row, largest / kMostInt8);
}

template <typename Element>
float LargestSize(const void* x, int64_t count) {
  return Largest(LargestSizes(static_cast<const Element*>(x), count, Vec{}));
}

template <typename Element>
void QuantiseParts(const Int8Part* parts, int64_t count, float largest, uint8_t* row) {
  const float inverse = InverseScale(largest);
  Int8Rows layout{0};
  for (int64_t i = 0; i < count; ++i) {
    uint8_t* const to = row + layout.cols;
    if (parts[i].elements != nullptr) {
      QuantiseValues(static_cast<const Element*>(parts[i].elements), parts[i].size, inverse, to);
    } else {
      __builtin_memset(to, Int8Rows::kZero, static_cast<size_t>(parts[i].size));
    }
    layout.cols += parts[i].size;
  }
  layout.SetScale(row, largest / kMostInt8);
}

inline void Int8LayerNorm(const NormTask& task, float* space) {
  const Int8Rows out{task.x_layout.cols};
  Vec most = {};
  NormRows<BFloat16>(
      task,
      [&](int64_t /*row*/, int64_t i, Vec y, int64_t count) __attribute__((always_inline)) {
        StorePart(space + i, y, count);
        most = Max(most, Max(y, -y));
      },
      [&](int64_t row) {
        QuantiseRow(space, out.cols, most, static_cast<uint8_t*>(task.out) + row * out.Stride());
        most = Vec{};
      });
}

// A panel: what Tiles takes of its columns; then their scales; then what its sums exceed those of the factors
// by.
template <typename Tiles>
struct Int8Panel {
  explicit Int8Panel(int64_t in) : steps(Tiles::StepsOf(in)) {}

  int64_t steps;

  size_t Size() const { return static_cast<size_t>(steps * kPanel + 2 * kPanel) * sizeof(uint32_t); }
  typename Tiles::Packed* Factors(void* panel) const { return static_cast<typename Tiles::Packed*>(panel); }
  float* Scales(void* panel) const { return static_cast<float*>(panel) + steps * kPanel; }
  int32_t* Excesses(void* panel) const { return static_cast<int32_t*>(panel) + (steps + 1) * kPanel; }
};

template <typename Tiles>
size_t Int8PanelSize(int64_t in) {
  return Int8Panel<Tiles>(in).Size();
}

template <typename Tiles>
size_t Int8PackedSize(int64_t out, int64_t in) {
  return static_cast<size_t>(RoundUp(out, kPanel) / kPanel) * Int8PanelSize<Tiles>(in);
}

// The scale of a row of weights; NaN if it contains one.
inline float WeightScale(const float* weights, int64_t in) {
  float most = 0.0F;
  for (int64_t i = 0; i < in; ++i) {
    const float size = weights[i] < 0.0F ? -weights[i] : weights[i];
    if (!(size <= most)) most = size;
  }
  return most / kMostInt8;
}

// −127 to 127, whatever the weight.
inline int8_t QuantisedWeight(float weight, float scale) {
  const float factor = weight / scale;
  if (!(factor > -kMostInt8 - 0.5F && factor < kMostInt8 + 0.5F)) return 0;  // 0/0, NaN, infinity
  constexpr float kToInteger = 12582912.0F;
  return static_cast<int8_t>(static_cast<int>((factor + kToInteger) - kToInteger));
}

template <typename Tiles>
void Int8Pack(const float* weight, int64_t out, int64_t in, void* packed) {
  constexpr int64_t kPerStep = Tiles::kPerStep;
  const Int8Panel<Tiles> panel(in);
  auto* to = static_cast<std::byte*>(packed);
  for (int64_t first = 0; first < out; first += kPanel, to += panel.Size()) {
    for (int64_t c = 0; c < kPanel; ++c) {
      const bool exists = first + c < out;
      const float* column = weight + (first + c) * in;
      const float scale = exists ? WeightScale(column, in) : 0.0F;
      int32_t sum = 0;
      for (int64_t step = 0; step < panel.steps; ++step) {
        int8_t factors[kPerStep] = {};
        for (int64_t i = 0; exists && i < kPerStep && step * kPerStep + i < in; ++i) {
          factors[i] = QuantisedWeight(column[step * kPerStep + i], scale);
          sum += factors[i];
        }
        panel.Factors(to)[Tiles::PanelIndex(step, c)] = Tiles::PackWeights(factors);
      }
      panel.Scales(to)[c] = scale;
      panel.Excesses(to)[c] = sum * Tiles::kOffset;
    }
  }
}

constexpr int64_t kInt8TaskRows = 96;     // whole tiles of any Tiles
constexpr int64_t kMostFloats = 1 << 17;  // of results that wait for their scale: half a second-level cache

template <typename Tiles>
int64_t Int8TaskRows(int64_t /*in*/, int64_t int8_out) {
  static_assert(kInt8TaskRows % Tiles::kRows == 0);
  if (int8_out == 0) return kInt8TaskRows;
  const int64_t rows = kMostFloats / int8_out / Tiles::kRows * Tiles::kRows;
  return rows < Tiles::kRows ? Tiles::kRows : rows < kInt8TaskRows ? rows : kInt8TaskRows;
}

// Whether Tiles multiplies Int8Rows where they are.
template <typename Tiles>
constexpr bool kTakesRows = sizeof(typename Tiles::Operand) == 1;

// How a task's space is divided.
template <typename Tiles>
struct Int8Space {
  Int8Space(int64_t in, int64_t int8_out, void* space)
      : result_stride(int8_out > 0 ? RoundUp(int8_out, kLanes) + kLanes : 0) {
    const int64_t rows = Int8TaskRows<Tiles>(in, int8_out);
    auto* const first = static_cast<std::byte*>(space);
    const auto take = [&](int64_t count, size_t element_size) {
      std::byte* const part = space != nullptr ? first + bytes : nullptr;
      bytes += RoundUp(count * static_cast<int64_t>(element_size), 64);
      return part;
    };
    results = reinterpret_cast<float*>(take(rows * result_stride, sizeof(float)));
    scales = reinterpret_cast<float*>(take(rows, sizeof(float)));
    if constexpr (kTakesRows<Tiles>) {
      quantised = reinterpret_cast<uint8_t*>(take(rows * Int8Rows{in}.Stride(), 1));
    } else {
      quantised = reinterpret_cast<uint8_t*>(take(Tiles::kRows * Int8Rows{in}.Stride(), 1));
      packed = reinterpret_cast<typename Tiles::Packed*>(
          take(rows * Tiles::StepsOf(in) + kLanes, sizeof(typename Tiles::Packed)));
      elements = reinterpret_cast<typename Tiles::Element*>(
          take(Tiles::kRows * in, sizeof(typename Tiles::Element)));
    }
  }

  int64_t result_stride;
  int64_t bytes = 0;                            // of all parts
  float* results;                               // of the rows of a task, if they become Int8Rows
  float* scales;                                // of the rows of x
  uint8_t* quantised;                           // Int8Rows: a tile, or all if Tiles takes them
  typename Tiles::Packed* packed = nullptr;     // tiles of x, unless Tiles takes rows
  typename Tiles::Element* elements = nullptr;  // a tile of what is packed
};

template <typename Tiles>
size_t Int8SpaceSize(int64_t in, int64_t int8_out) {
  return static_cast<size_t>(Int8Space<Tiles>(in, int8_out, nullptr).bytes);
}

// A tile of rows of x from `row` on, as Tiles multiplies it; sets their scales.
template <typename Tiles, typename Element>
const typename Tiles::Operand* Int8Tile(const LinearTask& task, const Int8Space<Tiles>& space, int64_t row) {
  const Int8Rows layout{task.in};
  const int64_t left = task.rows - row;
  const int64_t count = left < Tiles::kRows ? left : Tiles::kRows;
  const uint8_t* bytes = static_cast<const uint8_t*>(task.x) + row * layout.Stride();
  uint8_t* const quantised = space.quantised + (kTakesRows<Tiles> ? row * layout.Stride() : 0);
  if (!task.x_is_int8) {
    for (int64_t r = 0; r < count; ++r) {
      const Element* x = static_cast<const Element*>(task.x) + (row + r) * task.x_layout.cols;
      QuantiseRow(x, task.in, LargestSizes(x, task.in, Vec{}), quantised + r * layout.Stride());
    }
    bytes = quantised;
  }
  for (int64_t r = 0; r < count; ++r) space.scales[row + r] = layout.Scale(bytes + r * layout.Stride());
  if constexpr (kTakesRows<Tiles>) {
    if (count == Tiles::kRows || bytes == quantised) return bytes;
    // The rows after the last may not exist.
    __builtin_memcpy(quantised, bytes, static_cast<size_t>(count * layout.Stride()));
    return quantised;
  } else {
    auto* const packed = space.packed + row * Tiles::StepsOf(task.in);
    Tiles::PackTile(bytes, count, layout.Stride(), task.in, space.elements, packed);
    return packed;
  }
}

// GELU to 1.1e-4, far below what 8 bits round off.
inline Vec CoarseGelu(Vec x) {
#if defined(__AVX512F__)
  // max(x, 0) − u(1 − Φ(u)) with u = |x|. The second term is a parabola around each quarter up to 3.75, and
  // less than the error beyond 3.875. Permutations leave the units that multiply to the products.
  alignas(64) static constexpr float kParabolas[3][kLanes] = {
      {0.0F, 0.0006118522F, 0.01045821F, 0.0465375F, 0.1193343F, 0.2209776F, 0.3258947F, 0.4030689F,
       0.4310814F, 0.4066006F, 0.3427911F, 0.2607903F, 0.1803069F, 0.1138971F, 0.06600781F, 0.03510832F},
      {0.4999134F, 0.4923244F, 0.4414511F, 0.3268672F, 0.1605418F, -0.02068913F, -0.1741071F, -0.2698832F,
       -0.3003506F, -0.2776368F, -0.2240105F, -0.1615049F, -0.1054293F, -0.06283447F, -0.0343824F,
       -0.01734291F},
      {-0.3972973F, -0.3739125F, -0.30766F, -0.2163865F, -0.1212208F, -0.04035455F, 0.01576745F, 0.04549561F,
       0.05378F, 0.04851108F, 0.03724149F, 0.02532792F, 0.01555897F, 0.008728072F, 0.004501615F,
       0.002144401F}};
  const auto u = reinterpret_cast<__m512>(Min(Max(x, -x), Splat(3.87499976F)));
  // Adding 1.5 · 2²¹ rounds to a quarter, whose number the lowest bits hold.
  const auto quarter = reinterpret_cast<__m512i>(u + 3145728.0F);
  const auto coefficient = [&](int power) {
    return _mm512_maskz_permutexvar_ps(0xffff, quarter, _mm512_load_ps(kParabolas[power]));
  };
  const __m512 slope = _mm512_fmadd_ps(coefficient(2), u, coefficient(1));
  return Max(Vec{}, x) - reinterpret_cast<Vec>(_mm512_fmadd_ps(slope, u, coefficient(0)));
#else
  return Gelu(x, static_cast<const BFloat16*>(nullptr));
#endif
}

// Finishes and stores the results of a row in a panel at `offset` of y, `count` of them at least.
template <typename Element, Epilogue epilogue>
inline void StoreResults(const LinearTask& task, Vec (&results)[kPanelVectors], int64_t count,
                         int64_t offset) {
  auto* activation = static_cast<Element*>(task.y) + offset;
  auto* stream = static_cast<float*>(task.y) + offset;
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v) {
    if (epilogue == Epilogue::kGelu) results[v] = CoarseGelu(results[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v) {
    const int64_t first = v * kLanes;
    const int64_t left = count - first;
    if (left <= 0) break;
    if constexpr (epilogue == Epilogue::kAddStream) results[v] += LoadPart(stream + first, left);
    if constexpr (IsToStream(epilogue)) {
      StorePart(stream + first, results[v], left);
    } else {
      StorePart(activation + first, results[v], left);
    }
  }
}

// The product of tiles of rows, to y as Element or to the residual stream.
template <typename Tiles, typename Element, Epilogue epilogue>
void Int8Multiply(const LinearTask& task, const typename Tiles::Operand* const* tiles, const float* scales) {
  constexpr int64_t kSize = IsToStream(epilogue) ? sizeof(float) : sizeof(Element);
  const Int8Panel<Tiles> layout(task.in);
  auto* panel = static_cast<std::byte*>(const_cast<void*>(task.packed));
  for (int64_t column = 0; column < task.out; column += kPanel, panel += layout.Size()) {
    Vec column_scales[kPanelVectors];
    IVec excesses[kPanelVectors];
    Vec biases[kPanelVectors];
    for (int v = 0; v < kPanelVectors; ++v) {
      column_scales[v] = Load(layout.Scales(panel) + v * kLanes);
      __builtin_memcpy(&excesses[v], layout.Excesses(panel) + v * kLanes, sizeof(IVec));
      biases[v] = Load(task.bias + column + v * kLanes);
    }
    const int64_t columns_left = task.out - column;
    for (int64_t row = 0; row < task.rows; row += Tiles::kRows) {
      const int64_t rows = task.rows - row < Tiles::kRows ? task.rows - row : Tiles::kRows;
      const int64_t first = row * task.y_layout.cols + task.y_column + column;
      const SpreadPrefetch prefetch = {static_cast<const char*>(task.y) + first * kSize,
                                       task.y_layout.cols * kSize, rows, kPanel * kSize};
      alignas(64) IVec sums[Tiles::kRows][kPanelVectors];
      Tiles::Multiply(tiles[row / Tiles::kRows], Int8Rows{task.in}.Stride(), layout.Factors(panel),
                      layout.steps, sums, prefetch);
      const auto store_row = [&](int64_t r, int64_t count) __attribute__((always_inline)) {
        Vec results[kPanelVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kPanelVectors; ++v) {
          const Vec sum = __builtin_convertvector(sums[r][v] - excesses[v], Vec);
          results[v] = sum * column_scales[v] * scales[row + r] + biases[v];
        }
        StoreResults<Element, epilogue>(task, results, count, first + r * task.y_layout.cols);
      };
      if (rows == Tiles::kRows && columns_left >= kPanel) {
        // Constants, so that sums stay in registers and nothing is checked.
#pragma GCC unroll 12
        for (int64_t r = 0; r < Tiles::kRows; ++r) store_row(r, kPanel);
      } else {
        for (int64_t r = 0; r < rows; ++r) store_row(r, columns_left);
      }
    }
  }
}

template <typename Tiles, typename Element>
void Int8Linear(const LinearTask& task) {
  const Int8Space<Tiles> space(task.in, task.y_is_int8 ? task.out : 0, task.pack_space);
  const typename Tiles::Operand* tiles[kInt8TaskRows / Tiles::kRows];
  for (int64_t row = 0; row < task.rows; row += Tiles::kRows) {
    tiles[row / Tiles::kRows] = Int8Tile<Tiles, Element>(task, space, row);
  }
  Tiles::Begin();
  if (!task.y_is_int8) {
    WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() {
      Int8Multiply<Tiles, Element, epilogue>(task, tiles, space.scales);
    });
    Tiles::End();
    return;
  }
  LinearTask inner = task;
  inner.y = space.results;
  inner.y_layout = {space.result_stride};
  WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() {
    Int8Multiply<Tiles, float, epilogue>(inner, tiles, space.scales);
  });
  Tiles::End();
  const Int8Rows layout{task.out};
  for (int64_t row = 0; row < task.rows; ++row) {
    const float* results = space.results + row * space.result_stride;
    QuantiseRow(results, task.out, LargestSizes(results, task.out, Vec{}),
                static_cast<uint8_t*>(task.y) + row * layout.Stride());
  }
}

template <typename Tiles, typename Element>
inline constexpr Int8Kernels kInt8Kernels = {
    kPanel,          Tiles::kRows,         Int8TaskRows<Tiles>,    Int8PackedSize<Tiles>,
    Int8Pack<Tiles>, Int8PanelSize<Tiles>, Int8SpaceSize<Tiles>,   Int8Linear<Tiles, Element>,
    Int8LayerNorm,   LargestSize<Element>, QuantiseParts<Element>, Tiles::PeakOperations,
};
