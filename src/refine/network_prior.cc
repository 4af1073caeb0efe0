// SPDX-License-Identifier: Apache-2.0
#include "refine/network_prior.h"

#include <ceres/autodiff_cost_function.h>
#include <ceres/rotation.h>

#include <algorithm>
#include <cmath>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

constexpr int kErrors = 7;
template <typename T>
using ErrorVector = Eigen::Matrix<T, kErrors, 1>;

// world_from_camera corrected by `delta`: quaternion (w, x, y, z) and centre.
template <typename T>
void CorrectedPose(const Rigid3& pose, const T* delta, T* rotation, Eigen::Matrix<T, 3, 1>& center) {
  const T base[4] = {T(pose.rotation.w()), T(pose.rotation.x()), T(pose.rotation.y()), T(pose.rotation.z())};
  T turn[4];
  ceres::AngleAxisToQuaternion(delta, turn);
  ceres::QuaternionProduct(base, turn, rotation);
  for (int i = 0; i < 3; ++i) center[i] = pose.translation[i] + delta[3 + i];
}

// An edge's error in the standard deviations that the prior assumes.
class EdgeError {
 public:
  EdgeError(const Keyframe& first, const Keyframe& second, const PriorEdge& edge, const NetworkTrust& trust)
      : first_(first), second_(second), rotation_(LogSO3(edge.first_from_second.rotation)) {
    const Eigen::Vector3d& translation = edge.first_from_second.translation;
    // Lengths below their own σ carry no information: they count as σ.
    floor_ = std::max(edge.sigma_translation_m, 1e-9);
    const double length = std::hypot(translation.norm(), floor_);
    log_length_ = std::log(length);
    direction_ = translation / length;
    rotation_weight_ = 1.0 / (trust.rotation * std::max(edge.sigma_rotation_rad, 1e-7));
    length_weight_ = length / (trust.length * floor_);
    direction_weight_ = length / (trust.direction * floor_);
  }

  template <typename T>
  ErrorVector<T> operator()(const T* first_delta, const T* second_delta, const T& gain) const {
    using std::log;
    using std::sqrt;
    T first[4], second[4], inverse[4], between[4], expected_inverse[4], difference[4], angles[3];
    Eigen::Matrix<T, 3, 1> first_center, second_center;
    CorrectedPose(first_.world_from_camera, first_delta, first, first_center);
    CorrectedPose(second_.world_from_camera, second_delta, second, second_center);
    for (int i = 0; i < 4; ++i) inverse[i] = i == 0 ? first[i] : -first[i];
    ceres::QuaternionProduct(inverse, second, between);
    const T minus_expected[3] = {-gain * rotation_[0], -gain * rotation_[1], -gain * rotation_[2]};
    ceres::AngleAxisToQuaternion(minus_expected, expected_inverse);
    ceres::QuaternionProduct(expected_inverse, between, difference);
    ceres::QuaternionToAngleAxis(difference, angles);
    const Eigen::Matrix<T, 3, 1> step = second_center - first_center;
    Eigen::Matrix<T, 3, 1> translation;
    ceres::UnitQuaternionRotatePoint(inverse, step.data(), translation.data());
    const T length = sqrt(translation.squaredNorm() + floor_ * floor_);
    ErrorVector<T> error;
    for (int i = 0; i < 3; ++i) {
      error[i] = angles[i] * rotation_weight_;
      error[4 + i] = (translation[i] / length - direction_[i]) * direction_weight_;
    }
    error[3] = (log(length) - log_length_) * length_weight_;
    return error;
  }

 private:
  const Keyframe& first_;
  const Keyframe& second_;
  Eigen::Vector3d rotation_;
  Eigen::Vector3d direction_;
  double log_length_ = 0.0;
  double floor_ = 0.0;
  double rotation_weight_ = 0.0;
  double length_weight_ = 0.0;
  double direction_weight_ = 0.0;
};

struct SinglePrior {
  template <typename T>
  bool operator()(const T* first, const T* second, const T* gain, T* residuals) const {
    Eigen::Map<ErrorVector<T>> whitened(residuals);
    whitened = error(first, second, *gain);
    return true;
  }
  EdgeError error;
};

// e' = φ e + √(1 − φ²) w: the new part w has unit variance.
struct ChainedPrior {
  template <typename T>
  bool operator()(const T* zeroth, const T* first, const T* second, const T* gain, T* residuals) const {
    const ErrorVector<T> old = before(zeroth, first, *gain);
    const ErrorVector<T> now = error(first, second, *gain);
    for (int i = 0; i < kErrors; ++i) {
      const double phi = i < 3 ? correlation.rotation : correlation.translation;
      residuals[i] = (now[i] - phi * old[i]) / std::sqrt(1.0 - phi * phi);
    }
    return true;
  }
  EdgeError before;
  EdgeError error;
  EdgeCorrelation correlation;
};

}  // namespace

std::vector<PriorEdge> ComposeEdges(std::span<const NetworkEdge> edges, std::span<const size_t> counts,
                                    const EdgeCorrelation& correlation) {
  // Sums of σᵢσⱼρ^|i−j| over all pairs of two consecutive groups.
  const auto covariance = [&](size_t begin_a, size_t end_a, size_t begin_b, size_t end_b, double rho,
                              double NetworkEdge::*sigma) {
    double sum = 0.0;
    for (size_t i = begin_a; i < end_a; ++i) {
      for (size_t j = begin_b; j < end_b; ++j) {
        const double distance = i < j ? static_cast<double>(j - i) : static_cast<double>(i - j);
        sum += edges[i].*sigma * edges[j].*sigma * std::pow(rho, distance);
      }
    }
    return sum;
  };
  std::vector<PriorEdge> composed;
  size_t previous = 0;
  size_t begin = 0;
  for (const size_t count : counts) {
    const size_t end = begin + count;
    PriorEdge& out = composed.emplace_back();
    for (size_t i = begin; i < end; ++i) {
      out.first_from_second = out.first_from_second * edges[i].first_from_second;
    }
    const auto fill = [&](double rho, double NetworkEdge::*sigma, double before_sigma, double& out_sigma,
                          double& out_correlation) {
      out_sigma = std::sqrt(covariance(begin, end, begin, end, rho, sigma));
      const double product = before_sigma * out_sigma;
      out_correlation =
          product > 0.0 ? std::min(covariance(previous, begin, begin, end, rho, sigma) / product, 0.99) : 0.0;
    };
    const PriorEdge before = composed.size() > 1 ? composed[composed.size() - 2] : PriorEdge{};
    fill(correlation.rotation, &NetworkEdge::sigma_rotation_rad, before.sigma_rotation_rad,
         out.sigma_rotation_rad, out.with_previous.rotation);
    fill(correlation.translation, &NetworkEdge::sigma_translation_m, before.sigma_translation_m,
         out.sigma_translation_m, out.with_previous.translation);
    previous = begin;
    begin = end;
  }
  return composed;
}

std::unique_ptr<ceres::CostFunction> MakeNetworkPrior(const Keyframe& first, const Keyframe& second,
                                                      const PriorEdge& edge, const NetworkTrust& trust) {
  return std::make_unique<ceres::AutoDiffCostFunction<SinglePrior, kErrors, 6, 6, 1>>(
      new SinglePrior{EdgeError(first, second, edge, trust)});
}

std::unique_ptr<ceres::CostFunction> MakeNetworkPrior(const Keyframe& zeroth, const PriorEdge& before,
                                                      const Keyframe& first, const Keyframe& second,
                                                      const PriorEdge& edge, const NetworkTrust& trust) {
  return std::make_unique<ceres::AutoDiffCostFunction<ChainedPrior, kErrors, 6, 6, 6, 1>>(new ChainedPrior{
      EdgeError(zeroth, first, before, trust), EdgeError(first, second, edge, trust), edge.with_previous});
}

}  // namespace calfvo
