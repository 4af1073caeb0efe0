// SPDX-License-Identifier: Apache-2.0
// The element type of the residual stream on the GPU: 16 bits halve the traffic of every norm and every
// residual addition. docs/architecture.md has the error relative to float64.
#pragma once

#include <cuda_bf16.h>

namespace calfvo::cuda {

using StreamElement = __nv_bfloat16;

}  // namespace calfvo::cuda
