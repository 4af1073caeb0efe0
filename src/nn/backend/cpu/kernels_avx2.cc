// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AVX2 and FMA.
#define CALFVO_ISA isa_avx2
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kAvx2Kernels;
const CpuKernels kAvx2Kernels = isa_avx2::MakeKernels<isa_avx2::F32Product>("AVX2", false);

extern const CpuKernels kAvx2Int8Kernels;
const CpuKernels kAvx2Int8Kernels = isa_avx2::MakeInt8<isa_avx2::F32Product>("AVX2", false);

}  // namespace calfvo
