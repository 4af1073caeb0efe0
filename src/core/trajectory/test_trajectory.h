// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share. Included by *_test.cc files only.
#pragma once

#include <random>
#include <sstream>
#include <string>

#include "calfvo/trajectory.h"
#include "core/base/atomic_file.h"
#include "core/base/testing.h"

namespace calfvo {

// Poses with every bit of their doubles in use, irregular times, and covariances if asked for.
inline Trajectory RandomTrajectory(size_t size, bool with_covariance = false) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  Trajectory trajectory;
  int64_t timestamp_ns = 1305031102160407123;
  for (size_t i = 0; i < size; ++i) {
    timestamp_ns += 1 + static_cast<int64_t>(random() % 50'000'000);
    Rigid3 pose;
    pose.rotation = Quaternion(normal(random), normal(random), normal(random), normal(random)).normalized();
    pose.translation = {1e3 * normal(random), 1e-7 * normal(random), normal(random)};
    trajectory.timestamps_ns.push_back(timestamp_ns);
    trajectory.world_from_camera.push_back(pose);
    if (with_covariance) {
      const Matrix6 root = Matrix6::NullaryExpr([&] { return normal(random); });
      const Matrix6 covariance = root * root.transpose();
      trajectory.covariances.push_back(0.5 * (covariance + covariance.transpose()));
    }
  }
  return trajectory;
}

inline Trajectory ReadText(const std::string& text, std::optional<TrajectoryFormat> format = {}) {
  std::istringstream stream(text);
  return ReadTrajectory(stream, "file", format);
}

// The Error message for `text`, or "no error".
inline std::string ReadError(const std::string& text, std::optional<TrajectoryFormat> format = {}) {
  return ErrorFrom([&] { ReadText(text, format); });
}

inline std::string WrittenText(const Trajectory& trajectory, TrajectoryFormat format) {
  const TempFolder folder;
  WriteTrajectory(trajectory, folder.path() / "out", format);
  return ReadWholeFile(folder.path() / "out");
}

}  // namespace calfvo
