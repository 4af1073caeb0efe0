// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace calfvo::train {

// What happens to camera tokens, the first of each frame's, when a branch is added to the residual stream
// [B, K, 1 + N, d] of the decoder.
enum class CameraRule {
  kNone,  // there are none, or they are like the others
  kSkip,  // nothing is added to them
  kMean,  // after the addition, each becomes the mean over the K frames of its window
};

}  // namespace calfvo::train
