// SPDX-License-Identifier: Apache-2.0
// The backend on an NVIDIA GPU of compute capability 8.0 or newer: bf16 with f32 sums, or, from 8.9 on, fp8
// operands in the transformer's matrix products.
#pragma once

#include <memory>
#include <string>

#include "nn/backend/backend.h"

namespace calfvo {

bool CudaWasBuilt();

// Why the GPU cannot be used: built without CUDA, no driver, no GPU, one that is too old. Empty if it can.
std::string CudaProblem();

// Whether the GPU multiplies matrices of 8-bit floating-point numbers.
bool CudaHasFp8();

// Throws Error unless CudaProblem is empty. With `fp8`, operands are bf16 until they have been
// calibrated.
std::unique_ptr<Backend> MakeCudaBackend(bool fp8);

}  // namespace calfvo
