// SPDX-License-Identifier: Apache-2.0
// Compiled for aarch64 with NEON's products of bf16.
#define CALFVO_ISA isa_neon_bf16
#define CALFVO_NEON
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kNeonBf16Kernels;
const CpuKernels kNeonBf16Kernels = isa_neon_bf16::MakeKernels<isa_neon_bf16::Bf16Product>("NEON", true);

}  // namespace calfvo
