// SPDX-License-Identifier: Apache-2.0
// RowKernels for CPUs with AVX2.
#pragma once

#include "core/image/resize_rows.h"

namespace calfvo {

void AlongXAvx2(const ResampleWeights& weights, const std::array<const uint8_t*, kRowsAtOnce>& in,
                const std::array<uint8_t*, kRowsAtOnce>& out);
void AlongYAvx2(const int32_t* weights, std::span<const uint8_t* const> rows, size_t bytes, uint8_t* out);

}  // namespace calfvo
