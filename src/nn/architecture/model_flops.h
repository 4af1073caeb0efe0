// SPDX-License-Identifier: Apache-2.0
// What a network costs, by its configuration.
#pragma once

#include "nn/architecture/model_config.h"

namespace calfvo {

// Floating-point operations of the matrix products, convolutions and attention that docs/network.md asks for;
// a multiplication and an addition are two. Norms, activations, softmax and embeddings are left out, and so
// is whatever an implementation computes beyond the definition.
struct ModelFlops {
  double encode_frame = 0.0;   // one frame to tokens of the decoder's width
  double decode_window = 0.0;  // tokens of a window to the head's values

  // A video costs this per frame where a window follows every `advance` frames.
  double PerFrame(int advance) const { return encode_frame + decode_window / advance; }
};

ModelFlops CountFlops(const ModelConfig& config);

}  // namespace calfvo
