// SPDX-License-Identifier: Apache-2.0
// The CPU backend: our own kernels on all cores.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cpu/kernels.h"

namespace calfvo {

// `kernels` is one of SupportedKernels; `threads` as in ThreadPool.
std::unique_ptr<Backend> MakeCpuBackend(const CpuKernels& kernels, int threads);

}  // namespace calfvo
