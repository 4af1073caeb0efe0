// SPDX-License-Identifier: Apache-2.0
// The AMX kernels for CPUs without AMX, so that they can be tested there.
#pragma once

#include "backend/cpu/kernels.h"

namespace calfvo {

// Needs the instructions of the AVX-512 kernels for bf16.
extern const CpuKernels kEmulatedAmxKernels;

}  // namespace calfvo
