// SPDX-License-Identifier: Apache-2.0
// The kernels that tests try out.
#pragma once

#include <vector>

#include "backend/cpu/kernels.h"

namespace calfvo {

// All that this CPU runs, and those for AMX with emulated tiles, which need what the AVX-512 kernels for bf16
// need.
std::vector<const CpuKernels*> TestedKernels();

}  // namespace calfvo
