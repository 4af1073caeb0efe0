// SPDX-License-Identifier: Apache-2.0
// Writes a ground truth and an estimate of it into a folder, for `calfvo eval` to compare:
//   make_trajectories FOLDER [FRAMES]
// The camera drives a figure of eight; the estimate composes its relative motions with noise, as odometry
// does, so that it drifts.
#include <calfvo/error.h>
#include <calfvo/trajectory.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <numbers>
#include <random>

namespace {

// World_from_camera at `phase` in [0, 1): x right, y down, z forward, looking along the path.
calfvo::Rigid3 FigureOfEight(double phase) {
  const double angle = 2.0 * std::numbers::pi * phase;
  const double heading = std::atan2(40.0 * std::cos(angle), 60.0 * std::cos(2.0 * angle));
  return {calfvo::Quaternion(Eigen::AngleAxisd(heading, Eigen::Vector3d::UnitY())),
          {40.0 * std::sin(angle), std::sin(3.0 * angle), 30.0 * std::sin(2.0 * angle)}};
}

void MakeTrajectories(const std::filesystem::path& folder, int frames) {
  std::mt19937_64 random(42);
  std::normal_distribution<double> normal;
  calfvo::Trajectory truth;
  calfvo::Trajectory estimate;
  for (int i = 0; i < frames; ++i) {
    const int64_t timestamp_ns = int64_t{100'000'000} * i;
    truth.timestamps_ns.push_back(timestamp_ns);
    truth.world_from_camera.push_back(FigureOfEight(static_cast<double>(i) / frames));
    estimate.timestamps_ns.push_back(timestamp_ns);
    if (i == 0) {
      estimate.world_from_camera.push_back(truth.world_from_camera[0]);
      continue;
    }
    const size_t now = truth.size() - 1;
    const calfvo::Rigid3 motion = truth.world_from_camera[now - 1].Inverse() * truth.world_from_camera[now];
    const Eigen::Vector3d axis(normal(random), normal(random), normal(random));
    const double angle_rad = 0.0015 * axis.norm();
    calfvo::Rigid3 noise;
    noise.rotation = calfvo::Quaternion(Eigen::AngleAxisd(angle_rad, axis.normalized()));
    noise.translation =
        0.02 * motion.translation.norm() * Eigen::Vector3d(normal(random), normal(random), normal(random));
    calfvo::Rigid3 scaled = motion;
    scaled.translation *= 1.01;
    estimate.world_from_camera.push_back(estimate.world_from_camera.back() * (scaled * noise));
  }
  std::filesystem::create_directories(folder);
  WriteTrajectory(truth, folder / "groundtruth.txt", calfvo::TrajectoryFormat::kTum);
  WriteTrajectory(estimate, folder / "estimate.txt", calfvo::TrajectoryFormat::kTum);
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 2 ? std::atoi(argv[2]) : 1000;
  if (argc < 2 || frames < 2) {
    std::fprintf(stderr, "usage: make_trajectories FOLDER [FRAMES, at least 2]\n");
    return 2;
  }
  try {
    MakeTrajectories(argv[1], frames);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
