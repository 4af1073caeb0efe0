// SPDX-License-Identifier: Apache-2.0
// Rotations out of what a rotation head gives, for batches and with gradients: nn/model/head.h's
// InterpretPair.
#pragma once

#include <torch/types.h>

#include "nn/architecture/model_config.h"

namespace calfvo::train {

// values [..., n] with n = HeadConfig::rotation_values() → [..., 3, 3]. Finite, with a finite gradient, also
// where no rotation follows from the values (zero quaternions, parallel vectors), though no rotation then.
torch::Tensor RotationsFromValues(const torch::Tensor& values, RotationHead head);

}  // namespace calfvo::train
