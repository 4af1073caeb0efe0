// SPDX-License-Identifier: Apache-2.0
// The CPU backend, on the kernels of kernels.h.
#pragma once

#include <memory>

#include "nn/backend/backend.h"
#include "nn/backend/cpu/kernels.h"

namespace calfvo {

// `kernels` is one of SupportedKernels; `threads` as in ThreadPool.
std::unique_ptr<Backend> MakeCpuBackend(const CpuKernels& kernels, int threads);

}  // namespace calfvo
