// SPDX-License-Identifier: Apache-2.0
// A folder of recorded trajectories, as motions to draw from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calfvo/trajectory.h"
#include "synth/motion/real_segment.h"

namespace calfvo::motion {

// How a recording's poses become poses of a camera: which axes they have, and where gravity points.
struct RecordedFrame {
  Eigen::Matrix3d body_from_camera = Eigen::Matrix3d::Identity();
  // Unit vector of gravity in the world of the poses; zero means: the mean of the cameras' y axes.
  Eigen::Vector3d down_in_world = Eigen::Vector3d::Zero();
  // The recording holds body_from_world rotations beside positions in the world.
  bool inverted_rotation = false;
};

// What the published sets may hold, by the name of their folder. Lever arms between body and camera, which
// are centimetres, are left out: only axes are turned.
//
//   kitti        left camera, gravity along y of the first camera
//   euroc        IMU with x up, y right, z forward, gravity along −z of the world; or the left camera with
//                rotations camera_from_world, as some tools distribute it
//   tartanair    body with x forward, y right, z down, gravity along z of the world
//   others       camera; gravity is the mean of the cameras' y axes
//
// Where there are several, RealPaths takes the one in which gravity stays closest to the camera's y axis.
std::vector<RecordedFrame> FramesOfSet(const std::string& set);

// Packs paths into one array of records (real_segment.h) that can be copied to a GPU as it is.
class RealPaths {
 public:
  // Where the records of one set lie.
  struct Set {
    std::string name;
    int first = 0;
    int count = 0;
  };

  // Paths of fewer poses are dropped: segments of as many frames would not fit.
  static constexpr size_t kMinPoses = 32;

  // Loads every *.txt and *.csv file below `folder`, in order of their names. The set of a file is the name
  // of the folder it lies in. Files are in any format of ReadTrajectory, or TartanAir's lines `tx ty tz qx qy
  // qz qw` without time. Throws Error for a file that cannot be read, and where no path was found.
  static RealPaths Load(const std::filesystem::path& folder);

  // Adds a path to the set `set`, in which all paths must be added in a row. Where the clock jumps by more
  // than three times its usual interval, the path is cut. Throws Error where a pose of a path is over 10 km
  // from the one before, counted from 0.
  void Add(const std::string& set, const Trajectory& trajectory, const RecordedFrame& frame);
  void Add(const std::string& set, const Trajectory& trajectory);  // in the likeliest of FramesOfSet

  // All records, and those of one set; throws Error naming the known sets if it is not among them. Valid
  // until the next Add.
  RealPathsView View() const;
  RealPathsView View(const std::string& set) const;

  const std::vector<float>& records() const { return records_; }
  const std::vector<Set>& sets() const { return sets_; }

 private:
  void AddPath(const std::vector<Rigid3>& world_from_camera, const RecordedFrame& frame);

  std::vector<float> records_;
  std::vector<Set> sets_;
};

}  // namespace calfvo::motion
