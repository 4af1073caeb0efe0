// SPDX-License-Identifier: Apache-2.0
// What is written about a clip beside its pictures.
#pragma once

#include <string>

#include "clip/clip.h"

namespace calfvo {

// camera.json: size, intrinsics, distortion, shutter, and depth units per metre.
std::string CameraJson(const Clip& clip, double depth_scale);

// synth.json: what the clip was made from, and what was drawn. `preset` may be empty.
std::string ClipJson(const Clip& clip, const std::string& preset, const std::string& version);

}  // namespace calfvo
