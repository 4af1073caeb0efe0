// SPDX-License-Identifier: Apache-2.0
// procrustes_one.h for `count` matrices in device memory, queued on a stream. Built only with CALFVO_CUDA;
// free of LibTorch, whose headers nvcc is slow to read. Errors of CUDA are thrown as Error.
#pragma once

#include <cstdint>

struct CUstream_st;

namespace calfvo::train {

template <typename Scalar>  // float or double
void LaunchNearestRotation(const Scalar* matrices, Scalar* rotations, int64_t count, CUstream_st* stream);

template <typename Scalar>
void LaunchNearestRotationBackward(const Scalar* matrices, const Scalar* rotations,
                                   const Scalar* rotation_gradients, Scalar* matrix_gradients, int64_t count,
                                   CUstream_st* stream);

}  // namespace calfvo::train
