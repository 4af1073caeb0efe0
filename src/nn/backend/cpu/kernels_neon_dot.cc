// SPDX-License-Identifier: Apache-2.0
// Compiled for aarch64 with NEON's dot products of bytes.
#define CALFVO_ISA isa_neon_dot
#define CALFVO_NEON
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kNeonDotKernels;
const CpuKernels kNeonDotKernels = isa_neon_dot::MakeInt8<isa_neon_dot::F32Product>("NEON dot", false);

}  // namespace calfvo
