// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AVX-512 and its products of bf16 and of 8-bit integers.
#define CALFVO_ISA isa_avx512_bf16_vnni
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kAvx512Bf16VnniKernels;
const CpuKernels kAvx512Bf16VnniKernels =
    isa_avx512_bf16_vnni::MakeInt8<isa_avx512_bf16_vnni::Bf16Product>("AVX-512 VNNI", true);

}  // namespace calfvo
