// SPDX-License-Identifier: Apache-2.0
// camera.json: the intrinsics of a run (calfvo/camera.h), its only keys:
//   width, height, model ("SIMPLE_RADIAL"), focal_px, focal_sigma_px, principal_point [cx, cy],
//   principal_point_sigma [cx, cy], k1, k1_sigma, readout_frames, readout_sigma_frames,
//   origin ("guess", "given" or "estimated").
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "calfvo/camera.h"

namespace calfvo {

// The prior: focal length √(width · height), principal point in the centre, no distortion.
Camera GuessedCamera(int width, int height);

// "guess", "given" or "estimated".
std::string_view CameraOriginName(CameraOrigin origin);

// Throws Error, beginning with `name`, unless the size is 1 to 1,000,000 pixels, the focal length positive
// and at most 1e9 px, the principal point within ±1e9 px, |k1| at most 1000, |readout| at most 10 frames, and
// every standard deviation finite and not negative.
void CheckCamera(const Camera& camera, std::string_view name);

// Numbers read back as the same bits. Throws Error as CheckCamera does, and if writing fails.
void WriteCamera(const Camera& camera, const std::filesystem::path& path);

// Throws Error for a file over 64 KiB, wrong JSON, a key that is missing, unknown or repeated, a value of a
// wrong type, and as CheckCamera does.
Camera ReadCamera(const std::filesystem::path& path);

// The same from and to text; `name` stands for the file in messages.
Camera ParseCamera(std::string_view json, std::string_view name);
std::string CameraJson(const Camera& camera);

}  // namespace calfvo
