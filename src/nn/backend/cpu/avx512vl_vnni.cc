// SPDX-License-Identifier: Apache-2.0
// The AVX-VNNI kernels with the instruction's form in AVX-512VL, so that they can be tested and timed on CPUs
// that have only that: the same vectors of 256 bits, the same 16 registers.
#define CALFVO_AVX512VL_FORM
// Names distinct from those in the library.
#define isa_avx_vnni isa_avx512vl_vnni
#define kAvxVnniKernels kAvx512VlVnniKernels
#include "nn/backend/cpu/kernels_avx_vnni.cc"  // NOLINT(bugprone-suspicious-include)
