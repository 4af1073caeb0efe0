// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AVX-512 and its products of 8-bit integers.
#define CALFVO_ISA isa_avx512_vnni
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kAvx512VnniKernels;
const CpuKernels kAvx512VnniKernels =
    isa_avx512_vnni::MakeInt8<isa_avx512_vnni::F32Product>("AVX-512 VNNI", false);

}  // namespace calfvo
