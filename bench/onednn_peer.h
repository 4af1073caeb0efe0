// SPDX-License-Identifier: Apache-2.0
// oneDNN's f32 matmul, for comparison in the same run.
#pragma once

#include <cstdint>

namespace calfvo {

// Median seconds of y [rows, out] = x·Wᵀ + b; the layout of the weights is oneDNN's choice, made beforehand.
double OneDnnMatmulSeconds(int64_t rows, int64_t in, int64_t out, int threads);

}  // namespace calfvo
