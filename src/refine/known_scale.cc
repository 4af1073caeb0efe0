// SPDX-License-Identifier: Apache-2.0
#include "refine/known_scale.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace calfvo {
namespace {

constexpr size_t kStretchFrames = 40;
constexpr size_t kMinGroundPoints = 40;
constexpr int kPlaneRounds = 300;
constexpr double kMaxTilt = 35.0 * M_PI / 180.0;  // of the plane's normal to the image's vertical axis
constexpr double kThickness = 0.12;               // of inliers, of the height
constexpr double kBelow = 0.3;                    // points deeper than this, of the height, deny a ground
constexpr double kMinContrast = 1.5;              // of inliers to points in the band of their thickness above
constexpr size_t kMinGroundInliers = 25;
constexpr double kMinGroundShare = 0.1;  // of the stretch's points
constexpr double kMaxBelowShare = 0.2;   // of the inliers
constexpr double kMinWidth = 0.15;  // standard deviation of the inliers across their main axis, of the height
constexpr double kMinStretches = 0.2;   // of all
constexpr double kMaxSpread = 0.25;     // of the heights
constexpr double kStretchSigma = 0.05;  // relative, of one stretch
// The network's scale errs by 0.22 (standard deviation of the logarithm): beyond three times that a hint is
// wrong.
constexpr double kMaxLogScale = 0.7;
// Seconds that the second time of a known distance may lie after the last frame.
constexpr double kMaxTimePastEnd = 0.1;

// n·x = height, n close to the downward axis y.
struct Plane {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();
  double height = 0.0;
};

std::optional<Plane> MakePlane(Eigen::Vector3d normal, const Eigen::Vector3d& on_plane) {
  const double norm = normal.norm();
  if (!(norm > 1e-12)) return {};
  normal /= normal.y() < 0.0 ? -norm : norm;
  const Plane plane{normal, normal.dot(on_plane)};
  if (normal.y() < std::cos(kMaxTilt) || !(plane.height > 1e-6)) return {};
  return plane;
}

struct Support {
  std::vector<Eigen::Vector3d> inliers = {};
  size_t above = 0;  // points in the band of the same thickness above the inliers
  size_t below = 0;  // points that deny the plane
};

Support SupportOf(const Plane& plane, const std::vector<Eigen::Vector3d>& points) {
  Support support;
  for (const Eigen::Vector3d& x : points) {
    const double depth = (plane.normal.dot(x) - plane.height) / plane.height;
    if (std::abs(depth) < kThickness) support.inliers.push_back(x);
    if (std::abs(depth + 2.0 * kThickness) < kThickness) ++support.above;
    if (depth > kBelow) ++support.below;
  }
  return support;
}

bool IsGround(const Support& support, size_t points) {
  const auto inliers = static_cast<double>(support.inliers.size());
  return support.inliers.size() >= kMinGroundInliers &&
         inliers >= kMinGroundShare * static_cast<double>(points) &&
         inliers >= kMinContrast * static_cast<double>(support.above) &&
         static_cast<double>(support.below) <= kMaxBelowShare * inliers;
}

// Of points in a camera that looks about along the ground.
std::optional<Plane> FitGround(const std::vector<Eigen::Vector3d>& points) {
  if (points.size() < kMinGroundPoints) return {};
  std::mt19937 random(1);
  Plane best;
  double best_score = 0.0;
  for (int round = 0; round < kPlaneRounds; ++round) {
    const Eigen::Vector3d& a = points[random() % points.size()];
    const Eigen::Vector3d& b = points[random() % points.size()];
    const Eigen::Vector3d& c = points[random() % points.size()];
    const std::optional<Plane> plane = MakePlane((b - a).cross(c - a), a);
    if (!plane) continue;
    const Support support = SupportOf(*plane, points);
    const double score =
        static_cast<double>(support.inliers.size()) - 2.0 * static_cast<double>(support.below);
    if (score > best_score) {
      best_score = score;
      best = *plane;
    }
  }
  if (!(best_score > 0.0)) return {};
  for (int round = 0; round < 3; ++round) {
    const Support support = SupportOf(best, points);
    if (!IsGround(support, points.size())) return {};
    const std::vector<Eigen::Vector3d>& inliers = support.inliers;
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const Eigen::Vector3d& x : inliers) mean += x / static_cast<double>(inliers.size());
    Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
    for (const Eigen::Vector3d& x : inliers)
      scatter += (x - mean) * (x - mean).transpose() / static_cast<double>(inliers.size());
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(scatter);
    const std::optional<Plane> plane = MakePlane(axes.eigenvectors().col(0), mean);
    if (!plane || std::sqrt(axes.eigenvalues()[1]) < kMinWidth * plane->height) return {};
    best = *plane;
  }
  return best;
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace

std::optional<GroundHeight> FindGroundHeight(std::span<const Rigid3> world_from_camera,
                                             std::span<const MapPoint> points) {
  const size_t count = (world_from_camera.size() + kStretchFrames - 1) / kStretchFrames;
  std::vector<std::vector<Eigen::Vector3d>> stretches(count);
  const auto middle_of = [&](size_t stretch) {
    return std::min(stretch * kStretchFrames + kStretchFrames / 2, world_from_camera.size() - 1);
  };
  for (const MapPoint& point : points) {
    const size_t stretch = static_cast<size_t>(point.first_frame) / kStretchFrames;
    if (point.first_frame < 0 || stretch >= count) continue;
    stretches[stretch].push_back(world_from_camera[middle_of(stretch)].Inverse() * point.x_in_world);
  }
  std::vector<double> heights;
  for (size_t s = 0; s < count; ++s) {
    const std::optional<Plane> ground = FitGround(stretches[s]);
    if (!ground) continue;
    heights.push_back(ground->height);  // of the middle frame: tilted planes err at the ends of a stretch
  }
  if (heights.empty() || static_cast<double>(heights.size()) < kMinStretches * static_cast<double>(count))
    return {};
  const double height = MedianOf(heights);
  std::vector<double> distances;
  distances.reserve(heights.size());
  for (const double h : heights) distances.push_back(std::abs(h - height));
  const double spread = 1.4826 * MedianOf(distances);
  if (spread > kMaxSpread * height) return {};
  const double sigma =
      std::max(spread, kStretchSigma * height) / std::sqrt(static_cast<double>(heights.size()));
  return GroundHeight{height, sigma, static_cast<int>(heights.size())};
}

namespace {

// The position of the frame nearest to `time_s`.
Eigen::Vector3d PositionAt(double time_s, std::span<const Rigid3> world_from_camera,
                           std::span<const double> times_s) {
  const auto nearest = std::min_element(times_s.begin(), times_s.end(), [time_s](double a, double b) {
    return std::abs(a - time_s) < std::abs(b - time_s);
  });
  return world_from_camera[static_cast<size_t>(nearest - times_s.begin())].translation;
}

}  // namespace

KnownScale FindKnownScale(const RefineOptions& options, std::span<const Rigid3> world_from_camera,
                          std::span<const double> times_s, std::span<const MapPoint> points) {
  KnownScale result;
  double known = 0.0;
  double measured = 0.0;
  const char* what = nullptr;
  if (options.camera_height_m) {
    const std::optional<GroundHeight> ground = FindGroundHeight(world_from_camera, points);
    if (!ground) return {.warning = "the camera height was not used: no ground plane in view"};
    known = *options.camera_height_m;
    measured = ground->height;
    result.sigma = ground->sigma / ground->height;
    what = "camera height";
  } else {
    const KnownDistance& distance = *options.distance;
    const double end_s = times_s.back();
    const double interval_s = end_s / static_cast<double>(times_s.size());
    if (distance.second_s > end_s + std::max(interval_s, kMaxTimePastEnd)) {
      return {.warning = fmt::format(
                  "the distance was not used: its second time is {:g} s, the last frame is at {:.4g} s",
                  distance.second_s, end_s)};
    }
    known = distance.metres;
    measured = (PositionAt(distance.second_s, world_from_camera, times_s) -
                PositionAt(distance.first_s, world_from_camera, times_s))
                   .norm();
    what = "distance";
  }
  if (!(measured > 0.0) || std::abs(std::log(known / measured)) > kMaxLogScale) {
    return {.warning =
                fmt::format("the {} of {:g} m was not used: it contradicts the video, which shows {:.2g} m",
                            what, known, measured)};
  }
  result.scale = known / measured;
  return result;
}

}  // namespace calfvo
