// SPDX-License-Identifier: Apache-2.0
// The kernels, for the instruction set that the including source is compiled for. That source defines
// CALFVO_ISA, a separate namespace, so that the linker never substitutes a function compiled for another
// instruction set; for the same reason, nothing here calls the standard library.
//
// A matrix product keeps a tile of kRowTile × kPanel sums in registers while it runs along all of `in`.
// Weights are packed once into panels of kPanel columns, rows of x into tiles of kRowTile rows just before
// use: both are then read in order. Every sum is taken in the same order whatever the tile it falls into, so
// that results do not depend on how the work was split.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "nn/backend/cpu/int8_rows.h"
#include "nn/backend/cpu/kernels.h"
#include "nn/tensor/half.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(CALFVO_NEON)
#include <arm_neon.h>
#endif

namespace calfvo {
namespace CALFVO_ISA {

#include "nn/backend/cpu/vector_math.h"
// They build on each other in this order.
#include "nn/backend/cpu/product.h"
// Products of blocks, for aarch64.
#include "nn/backend/cpu/neon_product.h"
#include "nn/backend/cpu/spatial_attention.h"
#include "nn/backend/cpu/temporal_attention.h"

// Adds the bias of column `column`, finishes and stores up to a vector of sums at `offset` of y.
template <typename Element, Epilogue epilogue>
inline void StoreSums(const LinearTask& task, Vec sums, int64_t column, int64_t offset) {
  const int64_t count = task.out - column;
  if (count <= 0) return;
  const Vec value = task.bias != nullptr ? sums + Load(task.bias + column) : sums;
  auto* activation = static_cast<Element*>(task.y) + offset;
  auto* stream = static_cast<float*>(task.y) + offset;
  switch (epilogue) {
    case Epilogue::kStore:
      StorePart(activation, value, count);
      break;
    case Epilogue::kGelu:
      StorePart(activation, Gelu(value, activation), count);
      break;
    case Epilogue::kStream:
      StorePart(stream, value, count);
      break;
    case Epilogue::kAddStream:
      StorePart(stream, LoadPart(stream, count) + value, count);
      break;
  }
}

// Fetches the lines of a tile of y while its sums are taken: rows of y are far apart.
template <typename Element, Epilogue epilogue>
inline void PrefetchOutput(const LinearTask& task, int64_t row, int64_t column) {
  constexpr int64_t kSize = IsToStream(epilogue) ? sizeof(float) : sizeof(Element);
  for (int64_t r = row; r < row + kRowTile && r < task.rows; ++r) {
    const char* at =
        static_cast<const char*>(task.y) + (r * task.y_layout.cols + task.y_column + column) * kSize;
    for (int64_t line = 0; line < kPanel * kSize; line += 64) __builtin_prefetch(at + line, 1);
  }
}

// Calls function.operator()<epilogue>(), so that the choice is made once and not for each vector.
template <typename Function>
void WithEpilogue(Epilogue epilogue, const Function& function) {
  switch (epilogue) {
    case Epilogue::kStore:
      return function.template operator()<Epilogue::kStore>();
    case Epilogue::kGelu:
      return function.template operator()<Epilogue::kGelu>();
    case Epilogue::kStream:
      return function.template operator()<Epilogue::kStream>();
    case Epilogue::kAddStream:
      return function.template operator()<Epilogue::kAddStream>();
  }
}

// Space for one task's rows of x, packed.
constexpr int64_t kTaskRows = 8 * kRowTile;

template <typename Product>
size_t PackSpace(int64_t in) {
  return static_cast<size_t>(kTaskRows * Steps<Product>(in) + kLanes) * sizeof(typename Product::Packed);
}

template <typename Product, Epilogue epilogue>
void LinearWith(const LinearTask& task) {
  using Packed = typename Product::Packed;
  const int64_t steps = Steps<Product>(task.in);
  auto* space = static_cast<Packed*>(task.pack_space);
  const auto* x = static_cast<const typename Product::Element*>(task.x);
  for (int64_t row = 0; row < task.rows; row += kRowTile) {
    PackRows<Product>(x + row * task.in, task.rows - row, task.in, task.in, kRowTile, space + row * steps);
  }
  // A panel stays in the cache while all rows pass it.
  const auto* panel = static_cast<const Packed*>(task.packed);
  for (int64_t column = 0; column < task.out; column += kPanel, panel += steps * kPanel) {
    for (int64_t row = 0; row < task.rows; row += kRowTile) {
      Vec sums[kRowTile][kPanelVectors];
      PrefetchOutput<typename Product::Element, epilogue>(task, row, column);
      MultiplyTile<Product>(space + row * steps, kRowTile, panel, steps, sums);
      for (int64_t r = 0; r < kRowTile && row + r < task.rows; ++r) {
        const int64_t offset = (row + r) * task.y_layout.cols + task.y_column + column;
        for (int v = 0; v < kPanelVectors; ++v) {
          StoreSums<typename Product::Element, epilogue>(task, sums[r][v], column + v * kLanes,
                                                         offset + v * kLanes);
        }
      }
    }
  }
}

template <typename Product>
void Linear(const LinearTask& task) {
  WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() { LinearWith<Product, epilogue>(task); });
}

// The means of up to kLanes rows from `first` on, and what their deviations from them are multiplied by. The
// rows' sums across vectors are taken side by side.
inline void NormStatistics(const NormTask& task, int64_t first, int64_t rows, float* means, float* scales) {
  const int64_t cols = task.x_layout.cols;
  const int64_t whole = cols / kLanes * kLanes;
  const float* x = task.x + first * cols;
  Vec sums[kLanes] = {};
  for (int64_t r = 0; r < rows; ++r) {
    Vec sum = {};
    for (int64_t i = 0; i < whole; i += kLanes) sum += Load(x + r * cols + i);
    sums[r] = sum + LoadPart(x + r * cols + whole, cols - whole);
  }
  Store(means, SumEach(sums) / static_cast<float>(cols));
  Vec squares[kLanes] = {};
  for (int64_t r = 0; r < rows; ++r) {
    Vec sum = {};
    for (int64_t i = 0; i < whole; i += kLanes) {
      const Vec deviation = Load(x + r * cols + i) - means[r];
      sum += deviation * deviation;
    }
    squares[r] = sum;
  }
  Store(scales, SumEach(squares));
  for (int64_t r = 0; r < rows; ++r) {
    float variance = scales[r];
    for (int64_t i = r * cols + whole; i < (r + 1) * cols; ++i) {
      variance += (x[i] - means[r]) * (x[i] - means[r]);
    }
    variance /= static_cast<float>(cols);
    scales[r] = 1.0F / __builtin_sqrtf(variance + task.epsilon);
  }
}

// Calls write(row, column, results, count) for each vector of results, and end_row(row) after each row.
template <typename GeluElement, typename Write, typename EndRow>
inline void NormRows(const NormTask& task, const Write& write, const EndRow& end_row) {
  const int64_t cols = task.x_layout.cols;
  const int64_t whole = cols / kLanes * kLanes;
  const float* const gain = task.gain;
  const float* const bias = task.bias;
  const bool gelu = task.gelu;
  for (int64_t first = 0; first < task.rows; first += kLanes) {
    const int64_t rows = task.rows - first < kLanes ? task.rows - first : kLanes;
    float means[kLanes];
    float scales[kLanes];
    NormStatistics(task, first, rows, means, scales);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t row = first + r;
      const float* x = task.x + row * cols;
      const auto finish = [&](int64_t i, int64_t count) __attribute__((always_inline)) {
        Vec y = (LoadPart(x + i, count) - means[r]) * scales[r] * LoadPart(gain + i, count) +
                LoadPart(bias + i, count);
        if (gelu) y = Gelu(y, static_cast<const GeluElement*>(nullptr));
        write(row, i, y, count);
      };
      for (int64_t i = 0; i < whole; i += kLanes)
        finish(i, kLanes);  // a constant, so that nothing is checked
      if (whole < cols) finish(whole, cols - whole);
      end_row(row);
    }
  }
}

template <typename Element>
void LayerNorm(const NormTask& task) {
  auto* out = static_cast<Element*>(task.out);
  const int64_t cols = task.x_layout.cols;
  NormRows<Element>(
      task,
      [&](int64_t row, int64_t i, Vec y, int64_t count)
          __attribute__((always_inline)) { StorePart(out + row * cols + i, y, count); },
      [](int64_t /*row*/) {});
}

// One tile of sums, over factors that never leave the first-level cache.
template <typename Product, typename Sum = Vec>
double PeakFlop(int64_t steps) {
  constexpr int64_t kBlock = 64;
  alignas(64) static typename Product::Packed rows[kBlock * kRowTile];
  alignas(64) static typename Product::Packed panel[kBlock * kPanel];
  for (int64_t k = 0; k < steps; k += kBlock) {
    Sum sums[kRowTile][kPanelVectors];
    MultiplyTile<Product>(rows, kRowTile, panel, kBlock, sums);
    asm volatile("" : : "m"(sums));  // keeps the loop from being optimised away
  }
  const int64_t products = steps / kBlock * kBlock * kRowTile * kPanel * Product::kPerStep;
  return 2.0 * static_cast<double>(products);
}

// In this order.
#include "nn/backend/cpu/int8_product.h"

#include "nn/backend/cpu/int8_linear.h"

template <typename Product>
constexpr CpuKernels MakeKernels(std::string_view name, bool bf16) {
  using Element = typename Product::Element;
  return {name,
          bf16,
          /*tiled=*/false,
          kPanel,
          kRowTile,
          [](int64_t /*in*/) { return kTaskRows; },
          /*most_depth=*/0,
          PackedSize<Product>,
          Pack<Product>,
          PanelSize<Product>,
          PackSpace<Product>,
          Linear<Product>,
          LayerNorm<Element>,
          AttentionSpace<Product>,
          SpatialAttention<Product>,
          TemporalSpace,
          TemporalAttention<Element, /*tiled=*/false>,
          PeakFlop<Product>};
}

// The kernels of `Product`, with linear maps in 8-bit integers.
template <typename Product>
constexpr CpuKernels MakeInt8(std::string_view name, bool bf16) {
  CpuKernels kernels = MakeKernels<Product>(name, bf16);
  kernels.int8 = &kInt8Kernels<Int8Tiles, typename Product::Element>;
  return kernels;
}

}  // namespace CALFVO_ISA
}  // namespace calfvo
