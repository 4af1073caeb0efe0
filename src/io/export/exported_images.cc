// SPDX-License-Identifier: Apache-2.0
#include "io/export/exported_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/image/png.h"

namespace calfvo {
namespace {

// Where the undistorted pixel (column, row) lies in the distorted image, in pixels from its first centre.
Eigen::Vector2d DistortedPlace(const Camera& camera, int column, int row) {
  const Eigen::Vector2d pixel(column + 0.5, row + 0.5);
  const Eigen::Vector2d ray = (pixel - camera.principal_point) / camera.focal_px;
  const double factor = 1.0 + camera.k1 * ray.squaredNorm();
  return camera.focal_px * factor * ray + camera.principal_point - Eigen::Vector2d(0.5, 0.5);
}

}  // namespace

Camera UndistortedCamera(Camera camera) {
  camera.k1 = 0.0;
  camera.k1_sigma = 0.0;
  return camera;
}

void UndistortImage(const Camera& camera, const Frame& from, std::vector<uint8_t>* to) {
  if (from.width != camera.width || from.height != camera.height) {
    throw Error(fmt::format("frame {} has {}x{} px, but the camera {}x{}", from.index, from.width,
                            from.height, camera.width, camera.height));
  }
  to->assign(from.rgb.size(), 0);
  const auto width = static_cast<size_t>(from.width);
  for (int row = 0; row < from.height; ++row) {
    for (int column = 0; column < from.width; ++column) {
      const Eigen::Vector2d place = DistortedPlace(camera, column, row);
      // Up to half a pixel beyond the outermost centres the image has colour.
      if (!(place.x() >= -0.5 && place.y() >= -0.5 && place.x() <= from.width - 0.5 &&
            place.y() <= from.height - 0.5)) {
        continue;
      }
      const double x = std::clamp(place.x(), 0.0, from.width - 1.0);
      const double y = std::clamp(place.y(), 0.0, from.height - 1.0);
      const auto left = static_cast<size_t>(x);
      const auto top = static_cast<size_t>(y);
      const size_t right = std::min(left + 1, width - 1);
      const size_t bottom = std::min(top + 1, static_cast<size_t>(from.height) - 1);
      const double u = x - static_cast<double>(left);
      const double v = y - static_cast<double>(top);
      for (size_t channel = 0; channel < 3; ++channel) {
        const auto at = [&](size_t i, size_t j) {
          return static_cast<double>(from.rgb[(i * width + j) * 3 + channel]);
        };
        const double value = (1 - v) * ((1 - u) * at(top, left) + u * at(top, right)) +
                             v * ((1 - u) * at(bottom, left) + u * at(bottom, right));
        (*to)[(static_cast<size_t>(row) * width + static_cast<size_t>(column)) * 3 + channel] =
            static_cast<uint8_t>(std::lround(value));
      }
    }
  }
}

ExportedImages::ExportedImages(const ExportedRun& run, bool undistort)
    : camera_(run.camera), undistort_(undistort && run.camera.k1 != 0.0), source_(run.open_frames()) {}

const Frame& ExportedImages::Next() {
  if (!source_->Next(frame_)) {
    throw Error(
        fmt::format("the input ends at frame {} when read again; it had more frames during the run", read_));
  }
  if (frame_.width != camera_.width || frame_.height != camera_.height) {
    throw Error(
        fmt::format("frame {} has {}x{} px, but the camera {}x{}; a video that changes its size "
                    "cannot be exported with images",
                    read_, frame_.width, frame_.height, camera_.width, camera_.height));
  }
  ++read_;
  if (undistort_) {
    UndistortImage(camera_, frame_, &rgb_);
    std::swap(rgb_, frame_.rgb);
  }
  return frame_;
}

void WriteExportedImages(const ExportedRun& run, bool undistort, const std::filesystem::path& folder) {
  MakeFolder(folder);
  ExportedImages images(run, undistort);
  for (size_t pose = 0; pose < run.trajectory.size(); ++pose) {
    WritePng(folder / ExportedImageName(pose), images.Next().view());
  }
}

}  // namespace calfvo
