// SPDX-License-Identifier: Apache-2.0
// Windows of video with their relative poses, in batches, on the device that trains.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace calfvo::train {

// All but `frame_ids` on one device. Poses map camera i + 1 to camera i: T_{i+1} = T_i · T_{i,i+1}.
struct WindowBatch {
  torch::Tensor frames;  // [B, K, S, S, 3] uint8 RGB
  // [B, S, S, 3] uint8: the frame before frame 0, which encoders of pairs see beside it. A copy of frame 0
  // where the window begins a video. Undefined: all of them do.
  torch::Tensor before;
  torch::Tensor log_aspect;   // [B] f32: log2 of width over height of the images before they were squashed
  torch::Tensor rotation;     // [B, K − 1, 3, 3] f32
  torch::Tensor translation;  // [B, K − 1, 3] f32, metres
  // [B, K, cells, cells, 2] f32, pixels (x, y): where each cell of a frame was in the frame before; NaN where
  // that is not known. Undefined where the stream does not know it. Cells are 8 pixels wide.
  torch::Tensor motion;
  // [B, K] int64, in host memory: equal numbers mean equal images, over all batches of the stream; −1 means
  // nothing. Undefined where no frame comes twice.
  torch::Tensor frame_ids;
};

// Every how many windows one is taken as the beginning of a video: most windows of a long video are not, and
// the network must know both.
inline constexpr int kStartEvery = 8;

// A batch depends on the stream's options and seed, `step` and nothing else, so that a resumed run sees what
// the uninterrupted one would have seen, and ranks with different seeds see different windows.
class WindowStream {
 public:
  virtual ~WindowStream() = default;

  // Steps are asked for in order; implementations may prepare the next ones in the background. The batch's
  // tensors belong to the caller until the next call.
  virtual WindowBatch At(int64_t step) = 0;
};

}  // namespace calfvo::train
