// SPDX-License-Identifier: Apache-2.0
// Nearest rotations of a batch of matrices, differentiable: core/geometry/procrustes.h for tensors.
#pragma once

#include <torch/types.h>

namespace calfvo::train {

// [..., 3, 3] float or double → rotations of the same shape, on the tensor's device, without waiting for it.
// The gradient is finite everywhere (procrustes_one.h); a second derivative is not available.
torch::Tensor NearestRotations(const torch::Tensor& matrices);

}  // namespace calfvo::train
