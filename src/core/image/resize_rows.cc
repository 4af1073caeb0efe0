// SPDX-License-Identifier: Apache-2.0
#include "core/image/resize_rows.h"

#include <algorithm>

#include "core/image/resize_rows_avx2.h"

namespace calfvo {
namespace {

void AlongX(const ResampleWeights& weights, const std::array<const uint8_t*, kRowsAtOnce>& in,
            const std::array<uint8_t*, kRowsAtOnce>& out) {
  const portable::ResampleAxis axis = weights.axis();
  for (int i = 0; i < axis.size; ++i) {
    for (size_t row = 0; row < kRowsAtOnce; ++row) {
      const auto [red, green, blue] = portable::ResamplePixel(axis, i, in[row], 3);
      uint8_t* made = out[row] + ptrdiff_t{3} * i;
      made[0] = red;
      made[1] = green;
      made[2] = blue;
    }
  }
}

void AlongY(const int32_t* weights, std::span<const uint8_t* const> rows, size_t bytes, uint8_t* out) {
  for (size_t block = 0; block < bytes; block += kRowBlock) {
    std::array<int32_t, kRowBlock> sums = {};
    for (size_t k = 0; k < rows.size(); ++k) {
      const uint8_t* row = rows[k] + block;
      for (size_t i = 0; i < kRowBlock; ++i) sums[i] += weights[k] * row[i];
    }
    for (size_t i = 0; i < kRowBlock; ++i) out[block + i] = portable::RoundResampled(sums[i]);
  }
}

constexpr RowKernels kKernels[] = {
    {"any CPU", AlongX, AlongY},
#ifdef CALFVO_RESIZE_AVX2
    {"AVX2", AlongXAvx2, AlongYAvx2},
#endif
};

}  // namespace

size_t ReadableBytes(const ResampleWeights& weights) {
  int last = 0;
  for (const auto& window : weights.windows) last = std::max(last, window.first);
  return (static_cast<size_t>(last) + static_cast<size_t>(weights.taps)) * 3 + 4;
}

std::span<const RowKernels> AvailableRowKernels() {
#ifdef CALFVO_RESIZE_AVX2
  if (!__builtin_cpu_supports("avx2")) return std::span(kKernels).first(1);
#endif
  return kKernels;
}

}  // namespace calfvo
