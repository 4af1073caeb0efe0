// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/pose_calibration.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <deque>
#include <numeric>
#include <vector>

#include "core/geometry/so3.h"
#include "eval/tables/path_scores.h"

namespace calfvo {
namespace {

// Consecutive errors of edges, each divided by its σ.
class Sums {
 public:
  void Add(const Eigen::Vector3d& error) {
    squares_ += error.squaredNorm();
    ++count_;
    run_.push_back(error);
    if (run_.size() < kSummedEdges) return;
    sum_squares_ += std::accumulate(run_.begin(), run_.end(), Eigen::Vector3d(0, 0, 0)).squaredNorm();
    ++sums_;
    run_.pop_front();
  }
  // The next one is not a neighbour.
  void Break() { run_.clear(); }

  double Ratio() const {
    if (sums_ == 0.0 || squares_ == 0.0) return kUnknown;
    return sum_squares_ / sums_ / (kSummedEdges * squares_ / count_);
  }

 private:
  std::deque<Eigen::Vector3d> run_;
  double squares_ = 0.0, count_ = 0.0;
  double sum_squares_ = 0.0, sums_ = 0.0;
};

// Independent, of unit variance, if the covariance is right.
Eigen::Vector3d Whitened(const Eigen::Matrix3d& covariance, const Eigen::Vector3d& error) {
  return covariance.llt().matrixL().solve(error);
}

}  // namespace

PoseCalibration CalibratePoses(std::span<const std::optional<Rigid3>> truth, const Trajectory& estimate,
                               std::span<const EdgeRecord> edges) {
  CoverageCounter orientation, position;
  Sums rotation, translation;
  const std::vector<Rigid3>& poses = estimate.world_from_camera;
  for (size_t i = 1; i < truth.size(); ++i) {
    const auto error = ErrorOfEdge(truth, poses, i);
    if (error && !std::isnan(edges[i].sigma_rotation_rad)) {
      rotation.Add(error->rotation_rad / edges[i].sigma_rotation_rad);
      translation.Add(error->translation_m / edges[i].sigma_translation_m);
    } else {
      rotation.Break();
      translation.Break();
    }
    if (!truth[0] || !truth[i] || estimate.covariances.empty()) continue;
    const Rigid3 true_pose = truth[0]->Inverse() * *truth[i];
    const Rigid3 pose = poses[0].Inverse() * poses[i];
    const Matrix6& covariance = estimate.covariances[i];
    position.Add(Whitened(covariance.topLeftCorner<3, 3>(), true_pose.translation - pose.translation), 1.0);
    orientation.Add(Whitened(covariance.bottomRightCorner<3, 3>(),
                             LogSO3(pose.rotation.conjugate() * true_pose.rotation)),
                    1.0);
  }
  return {orientation.Shares(), position.Shares(), rotation.Ratio(), translation.Ratio()};
}

double CorrelationOfSums(double sums) {
  if (std::isnan(sums)) return kUnknown;
  const auto sums_of = [](double correlation) {
    double total = 1.0;
    for (int k = 1; k < kSummedEdges; ++k) {
      total += 2.0 * (1.0 - static_cast<double>(k) / kSummedEdges) * std::pow(correlation, k);
    }
    return total;
  };
  double low = 0.0, high = 0.999;
  if (sums <= 1.0) return low;
  if (sums >= sums_of(high)) return high;
  while (high - low > 1e-6) {
    const double middle = 0.5 * (low + high);
    (sums_of(middle) < sums ? low : high) = middle;
  }
  return low;
}

}  // namespace calfvo
