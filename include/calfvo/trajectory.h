// SPDX-License-Identifier: Apache-2.0
// A camera trajectory, and reading and writing it. See docs/formats.md for what each format accepts and
// keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calfvo/camera.h"
#include "calfvo/geometry.h"

namespace calfvo {

// Poses in time order: timestamps strictly increase. `timestamps_ns` and `world_from_camera` have the same
// length; `covariances` has that length too, or is empty when no uncertainty is known. All numbers are
// finite, and quaternions have unit norm to 1e-6.
struct Trajectory {
  std::vector<int64_t> timestamps_ns = {};
  std::vector<Rigid3> world_from_camera = {};

  // Covariance of (δp, δθ): metres along the world's axes, then radians about the camera's axes, with
  // p_true = p + δp and R_true = R·Exp(δθ). For estimates (limits: PoseEstimate) it is relative to
  // the first pose, whose covariance is zero.
  std::vector<Matrix6> covariances = {};

  // False when the source has no clock (KITTI): then timestamps count frames, one second each.
  bool has_time = true;

  size_t size() const { return world_from_camera.size(); }
  bool empty() const { return world_from_camera.empty(); }
};

// File formats of trajectories (docs/formats.md).
enum class TrajectoryFormat { kTum, kKitti, kEuroc, kCsv, kNpz };

// The format called `name` (tum, kitti, euroc, csv, npz); throws Error listing the names otherwise.
TrajectoryFormat TrajectoryFormatFromName(std::string_view name);
// The inverse of TrajectoryFormatFromName.
std::string_view TrajectoryFormatName(TrajectoryFormat format);

// Reads a file as TUM, KITTI, EuRoC or calfvo CSV: `format`, or what its first data line looks like. Throws
// Error with file, line number and what was expected; a file without poses is an error. NPZ is written only.
Trajectory ReadTrajectory(const std::filesystem::path& path, std::optional<TrajectoryFormat> format = {});

// The same from a stream; `name` stands for the file in messages.
Trajectory ReadTrajectory(std::istream& stream, const std::string& name,
                          std::optional<TrajectoryFormat> format = {});

// Writes `path` atomically. Throws Error if the trajectory violates the contract of Trajectory or if writing
// fails.
void WriteTrajectory(const Trajectory& trajectory, const std::filesystem::path& path,
                     TrajectoryFormat format);

// Camera, points and image names for COLMAP.
struct ColmapModel {
  // With distortion it becomes a SIMPLE_RADIAL camera, else a SIMPLE_PINHOLE one. A focal length of 0 stands
  // for the guess √(width · height), for COLMAP to refine; a guess is marked as such.
  Camera camera = {};
  std::vector<MapPoint> points = {};  // written without their observations
  // One per pose; empty writes frame_000000.png, frame_000001.png, …
  std::vector<std::string> names = {};
};

// Writes cameras, images and points3D, each as .txt and .bin, into `folder`, which is created if missing.
void WriteColmap(const Trajectory& trajectory, const std::filesystem::path& folder, const ColmapModel& model);

}  // namespace calfvo
