// SPDX-License-Identifier: Apache-2.0
// The second stage of sums over rows: blocks of a kernel leave their partial sums, which are added here in a
// fixed order. Included by *.cu files only.
#pragma once

#include "network/cuda_kernels.h"

namespace calfvo::train {

// out[c] = Σ partial[b][c] over `blocks` b, for `columns` c. Checks of the launch are the caller's.
void SumPartials(int blocks, int columns, const float* partial, float* out, CudaStream stream);

}  // namespace calfvo::train
