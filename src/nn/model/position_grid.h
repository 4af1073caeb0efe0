// SPDX-License-Identifier: Apache-2.0
// DINOv2's position embeddings for other grids than the one they were trained on.
#pragma once

#include "nn/architecture/model_config.h"
#include "nn/tensor/tensor.h"

namespace calfvo {

// `positions` [1 + grid², dim] in f32 → the patches' embeddings [side², dim], without that of CLS. Used as
// they are if side = grid, else resized by the rule that the model was published with (docs/network.md).
Tensor ResizePositions(const TensorView& positions, int grid, int side, PositionInterpolation rule);

}  // namespace calfvo
