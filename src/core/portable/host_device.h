// SPDX-License-Identifier: Apache-2.0
// Marks code that is compiled for the host and, by nvcc, for the GPU too. Such code is header-only, uses no
// standard library beyond <cmath> and <cstdint>, allocates nothing and throws nothing.
#pragma once

#if defined(__CUDACC__)
#define CALFVO_HD __host__ __device__ inline
#else
#define CALFVO_HD inline
#endif
