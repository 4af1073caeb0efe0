// SPDX-License-Identifier: Apache-2.0
// The metadata that is written beside the images of a clip.
#pragma once

#include <string>

#include "synth/clip/clip.h"

namespace calfvo {

// camera.json: size, intrinsics, distortion, shutter, and depth units per metre.
std::string CameraJson(const Clip& clip, double depth_scale);

// synth.json: what the clip was made from, and what was drawn. `preset` may be empty.
std::string ClipJson(const Clip& clip, const std::string& preset, const std::string& version);

}  // namespace calfvo
