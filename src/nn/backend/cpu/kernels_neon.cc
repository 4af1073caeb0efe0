// SPDX-License-Identifier: Apache-2.0
// Compiled for aarch64, all of which has NEON.
#define CALFVO_ISA isa_neon
#define CALFVO_NEON
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kNeonKernels;
const CpuKernels kNeonKernels = isa_neon::MakeKernels<isa_neon::F32Product>("NEON", false);

}  // namespace calfvo
