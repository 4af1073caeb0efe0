// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace calfvo {

// The rows of a batch of windows in the decoder. The camera token has a slot in each frame, as [windows,
// frames, 1 + tokens], or in each window, as [windows, 1 + frames · tokens].
struct WindowShape {
  int64_t windows = 0;
  int64_t frames = 0;
  int64_t tokens = 0;  // image tokens of a frame
  bool camera_per_frame = true;

  int64_t sequences() const { return camera_per_frame ? windows * frames : windows; }
  int64_t sequence_length() const { return camera_per_frame ? 1 + tokens : 1 + frames * tokens; }
  int64_t rows() const { return sequences() * sequence_length(); }
  int64_t slots() const { return camera_per_frame ? frames : 1; }  // of the camera token, per window
  // The row of the camera token in slot `slot`, and of image token `token` of frame `frame`, of a window.
  int64_t CameraRow(int64_t window, int64_t slot) const {
    return (window * slots() + slot) * sequence_length();
  }
  int64_t TokenRow(int64_t window, int64_t frame, int64_t token) const {
    const int64_t after_camera = camera_per_frame ? 1 + token : 1 + frame * tokens + token;
    return CameraRow(window, camera_per_frame ? frame : 0) + after_camera;
  }
};

}  // namespace calfvo
