// SPDX-License-Identifier: Apache-2.0
// The images of a run, one per pose, as the exported camera sees them.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "calfvo/camera.h"
#include "io/export/exports.h"

namespace calfvo {

// `camera` without lens distortion: same size, focal length and principal point.
Camera UndistortedCamera(Camera camera);

// Fills `to` with `from` as UndistortedCamera(camera) sees it, by bilinear interpolation; what the distorted
// image does not show becomes black. Throws Error if `from` has another size than the camera.
void UndistortImage(const Camera& camera, const Frame& from, std::vector<uint8_t>* to);

// Reads the images in the order of poses. One thread at a time.
class ExportedImages {
 public:
  ExportedImages(const ExportedRun& run, bool undistort);

  // The next image. Throws Error if the input has become shorter, or changes its size.
  const Frame& Next();

 private:
  const Camera camera_;
  const bool undistort_;
  const std::unique_ptr<FrameSource> source_;
  Frame frame_;
  std::vector<uint8_t> rgb_;
  size_t read_ = 0;
};

// Writes all of them as PNG files, named by ExportedImageName.
void WriteExportedImages(const ExportedRun& run, bool undistort, const std::filesystem::path& folder);

}  // namespace calfvo
