// SPDX-License-Identifier: Apache-2.0
// Compiled for aarch64 with NEON's products of bf16 and dot products of bytes.
#define CALFVO_ISA isa_neon_bf16_dot
#define CALFVO_NEON
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kNeonBf16DotKernels;
const CpuKernels kNeonBf16DotKernels =
    isa_neon_bf16_dot::MakeInt8<isa_neon_bf16_dot::Bf16Product>("NEON dot", true);

}  // namespace calfvo
