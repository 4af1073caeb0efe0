// SPDX-License-Identifier: Apache-2.0
// The two inner loops of a resize, once for every CPU and once for AVX2; all give the same integers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/image/resample_weights.h"

namespace calfvo {

inline constexpr int kRowsAtOnce = 4;

// Rows are made in blocks of this many bytes; rows that go into and out of `along_y` have room for whole
// blocks.
inline constexpr size_t kRowBlock = 32;

struct RowKernels {
  const char* name;

  // Resamples four RGB rows along x. Every row can be read up to ReadableBytes(weights) and written one byte
  // beyond its last pixel.
  void (*along_x)(const ResampleWeights& weights, const std::array<const uint8_t*, kRowsAtOnce>& in,
                  const std::array<uint8_t*, kRowsAtOnce>& out);

  // One row of `bytes`, a multiple of kRowBlock, as the weighted sum of `rows`.
  void (*along_y)(const int32_t* weights, std::span<const uint8_t* const> rows, size_t bytes, uint8_t* out);
};

// How many bytes of a row `along_x` may touch: more than the pixels it uses.
size_t ReadableBytes(const ResampleWeights& weights);

// Those that run here, the fastest last.
std::span<const RowKernels> AvailableRowKernels();

}  // namespace calfvo
