// SPDX-License-Identifier: Apache-2.0
// Hints that keep GPU code small; they mean nothing to host compilers.
#pragma once

#include "portable/host_device.h"

#if defined(__CUDACC__)
#define CALFVO_ROLLED _Pragma("unroll 1")                       // before a loop: do not unroll it
#define CALFVO_HD_CALL __host__ __device__ __noinline__ inline  // a real call, for code that is not hot
#else
#define CALFVO_ROLLED
#define CALFVO_HD_CALL inline
#endif
