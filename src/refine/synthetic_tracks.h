// SPDX-License-Identifier: Apache-2.0
// Exact tracks of random points seen by a moving camera, for tests.
#pragma once

#include <random>
#include <vector>

#include "core/geometry/so3.h"
#include "refine/reprojection.h"
#include "refine/window.h"

namespace calfvo {

struct SyntheticTracks {
  CameraParams camera = {};
  double width = 640.0;
  double height = 480.0;
  std::vector<Rigid3> poses = {};  // true, of every frame
  std::vector<TrackedFrame> frames = {};
};

struct SyntheticOptions {
  int frames = 60;
  int keyframe_every = 3;
  double turn_rad = 0.25;           // amplitude of the camera's rotation
  double travel_m = 0.05;           // per frame
  double network_gain = 1.0;        // the network's translation over the true one
  double network_turn_error = 0.0;  // radians about y per frame, added by the network
  double outlier_share = 0.0;       // of tracks that move at random
  double pixel_noise = 0.0;
};

// A handheld path past points 2 to 6 m away. Rolling shutter uses the true relative poses as velocities.
inline SyntheticTracks MakeSyntheticTracks(const CameraParams& camera, const SyntheticOptions& options) {
  SyntheticTracks out{.camera = camera};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::normal_distribution<double> normal;
  for (int i = 0; i < options.frames; ++i) {
    const double s = 0.11 * i;
    out.poses.push_back(
        {ExpSO3(options.turn_rad * Eigen::Vector3d(std::sin(1.1 * s), std::sin(0.7 * s), 0.4 * std::sin(s))),
         options.travel_m * Eigen::Vector3d(i, 4.0 * std::sin(0.5 * s), 6.0 * std::sin(0.3 * s))});
    if (i == 0) out.poses[0].rotation = Quaternion::Identity();
  }
  std::vector<Keyframe> cameras(out.poses.size());
  for (size_t i = 0; i < out.poses.size(); ++i) {
    TrackedFrame& frame = out.frames.emplace_back();
    frame.frame = static_cast<int64_t>(i);
    frame.is_keyframe = i % static_cast<size_t>(options.keyframe_every) == 0 || i + 1 == out.poses.size();
    if (i == 0) continue;
    Rigid3 edge = out.poses[i - 1].Inverse() * out.poses[i];
    edge.translation *= options.network_gain;
    edge.rotation = edge.rotation * ExpSO3({0.0, options.network_turn_error, 0.0});
    frame.edge = {edge, 0.002, 0.005};
  }
  // As RefineWindow sets them: the mean of the edges around a frame.
  for (size_t i = 0; i < out.poses.size(); ++i) {
    Eigen::Vector3d angular = Eigen::Vector3d::Zero();
    Eigen::Vector3d linear = Eigen::Vector3d::Zero();
    double edges = 0.0;
    if (i > 0) {
      const Rigid3& edge = out.frames[i].edge.first_from_second;
      angular += LogSO3(edge.rotation);
      linear += edge.rotation.conjugate() * edge.translation;
      ++edges;
    }
    if (i + 1 < out.poses.size()) {
      const Rigid3& edge = out.frames[i + 1].edge.first_from_second;
      angular += LogSO3(edge.rotation);
      linear += edge.translation;
      ++edges;
    }
    cameras[i] = {static_cast<int64_t>(i), false, out.poses[i], angular / edges, linear / edges};
  }
  int64_t next_track = 0;
  for (size_t start = 0; start < out.poses.size(); start += 5) {
    for (int n = 0; n < 60; ++n) {
      const Eigen::Vector2d pixel(0.5 * out.width * (1.0 + unit(random)),
                                  0.5 * out.height * (1.0 + unit(random)));
      const double inverse_depth = 1.0 / (4.0 + 2.0 * unit(random));
      const bool is_outlier = unit(random) < 2.0 * options.outlier_share - 1.0;
      const int64_t track = next_track++;
      Eigen::Vector2d seen = pixel;
      for (size_t i = start; i < std::min(start + 20, out.poses.size()); ++i) {
        // The row decides the exposure time, and the time the row: a few rounds converge.
        for (int round = 0; round < 20 && i > start && !is_outlier; ++round) {
          PredictPixel({&cameras[start], &cameras[i], pixel, seen, out.height}, kNoCorrection, kNoCorrection,
                       inverse_depth, camera, seen);
        }
        if (is_outlier && i > start) seen += Eigen::Vector2d(8.0 * unit(random), 8.0 * unit(random));
        if (seen.x() < 0.0 || seen.y() < 0.0 || seen.x() > out.width || seen.y() > out.height) break;
        const Eigen::Vector2d noisy =
            seen + options.pixel_noise * Eigen::Vector2d(normal(random), normal(random));
        out.frames[i].observations.push_back({track, noisy.cast<float>()});
      }
    }
  }
  return out;
}

}  // namespace calfvo
