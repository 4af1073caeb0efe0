// SPDX-License-Identifier: Apache-2.0
#include "refine/camera_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace calfvo {
namespace {

// σ of the camera before any evidence: relative for f, of the half diagonal for the centre, frame intervals.
constexpr double kFocalSigma = 0.1;
constexpr double kCenterSigma = 0.02;
constexpr double kReadoutSigma = 0.3;
constexpr double kK1Sigma = 0.3;
// Windows overlap and share unmodelled errors: a posterior becomes the next prior with more than its own σ.
constexpr double kPriorInflation = 1.5;
constexpr CameraParams kSigmaFloor = {0.003, 0.5, 0.5, 0.01, 0.003};
constexpr double kKnownFocal = 0.05;          // σ of log f from which on no other start is searched
constexpr int64_t kDistortionKeyframes = 50;  // after which k1 stays 0 unless it was found useful
// A given focal length is questioned beyond this many standard deviations from that of the tracks, if they
// know it.
constexpr double kFocalConflict = 3.0;
constexpr double kTracksKnowFocal = 0.1;
constexpr double kFocalInflation = 3.0;  // of that σ: residuals of neighbouring frames are not independent

}  // namespace

void CameraEstimate::Start(const FrameRecord& frame) {
  const double width = frame.gray->width;
  const double height = frame.gray->height;
  width_ = frame.width;
  height_ = frame.height;
  tracked_height_ = height;
  scale_ = std::max<double>(frame.width, frame.height * frame.width_over_height) / width;
  const double half_diagonal = 0.5 * std::hypot(width, height);
  prior_.mean = {0.5 * std::log(width * height), 0.5 * width, 0.5 * height, 0.0, 0.0};
  prior_.sigma = {kFocalSigma, kCenterSigma * half_diagonal, kCenterSigma * half_diagonal, kReadoutSigma,
                  kK1Sigma};
  std::optional<double> given = options_.focal_px;
  if (options_.fov_deg) given = 0.5 * width * scale_ / std::tan(0.5 * *options_.fov_deg * M_PI / 180.0);
  if (given) {
    prior_.mean[kLogFocal] = std::log(*given / scale_);
    prior_.sigma[kLogFocal] = options_.focal_sigma;
    search_focal_ = false;
  }
  first_prior_ = prior_;
}

void CameraEstimate::Prepare(WindowOptions& window) const {
  window.image_height = tracked_height_;
  window.prior = prior_;
  window.search_focal = search_focal_;
  window.try_distortion = try_distortion_;
}

void CameraEstimate::Carry(const RefinedWindow& refined, int64_t keyframes) {
  prior_.mean = refined.adjustment.camera;
  for (size_t i = 0; i < prior_.sigma.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double sigma = std::sqrt(refined.posterior.camera(k, k));
    posterior_sigma_[i] = sigma;
    if (prior_.sigma[i] > 0.0 && sigma > 1e-5) {
      prior_.sigma[i] = std::clamp(kPriorInflation * sigma, kSigmaFloor[i], first_prior_.sigma[i]);
    }
  }
  search_focal_ = search_focal_ && prior_.sigma[kLogFocal] > kKnownFocal;
  if (prior_.mean[kK1] != 0.0) {
    try_distortion_ = false;
  } else if (keyframes >= kDistortionKeyframes) {
    prior_.sigma[kK1] = 0.0;
  }
}

std::string CameraEstimate::CheckGiven(const RefinedWindow& refined) const {
  if (!is_given()) return {};
  Adjustment free = refined.adjustment;
  AdjustOptions options{.prior = first_prior_, .max_iterations = 30};
  options.prior.sigma[kLogFocal] = 0.5;
  if (free.camera[kK1] == 0.0) options.prior.sigma[kK1] = 0.0;
  Adjust(free, options);
  const double sigma =
      kFocalInflation * std::sqrt(ComputePosterior(free, options).camera(kLogFocal, kLogFocal));
  const double difference = free.camera[kLogFocal] - first_prior_.mean[kLogFocal];
  if (!(sigma < kTracksKnowFocal) ||
      std::abs(difference) < kFocalConflict * std::hypot(sigma, options_.focal_sigma)) {
    return {};
  }
  const double focal = input_focal_px(free.camera);
  const auto fov_deg = [&](double f) { return 2.0 * std::atan(0.5 * width_ / f) * 180.0 / M_PI; };
  if (options_.fov_deg) {
    return fmt::format(
        "the given field of view of {:.1f}° contradicts the tracks: they imply {:.1f} ± {:.1f}°",
        *options_.fov_deg, fov_deg(focal),
        0.5 * (fov_deg(focal * (1.0 - sigma)) - fov_deg(focal * (1.0 + sigma))));
  }
  return fmt::format(
      "the given focal length of {:.0f} px contradicts the tracks: they imply {:.0f} ± {:.0f} px",
      *options_.focal_px, focal, sigma * focal);
}

double CameraEstimate::tracked_focal_px() const {
  return std::exp(prior_.mean[kLogFocal]);
}

double CameraEstimate::input_focal_px(const CameraParams& camera) const {
  return scale_ * std::exp(camera[kLogFocal]);
}

Camera CameraEstimate::Result() const {
  const CameraParams& params = prior_.mean;
  Camera camera;
  camera.width = width_;
  camera.height = height_;
  camera.focal_px = input_focal_px(params);
  camera.focal_sigma_px = camera.focal_px * posterior_sigma_[kLogFocal];
  camera.principal_point = scale_ * Eigen::Vector2d(params[kCenterX], params[kCenterY]);
  camera.principal_point_sigma =
      scale_ * Eigen::Vector2d(posterior_sigma_[kCenterX], posterior_sigma_[kCenterY]);
  camera.readout_frames = params[kReadout];
  camera.readout_sigma_frames = posterior_sigma_[kReadout];
  camera.k1 = params[kK1];
  camera.k1_sigma = params[kK1] != 0.0 ? posterior_sigma_[kK1] : 0.0;
  const bool is_observed =
      posterior_sigma_[kLogFocal] > 0.0 && posterior_sigma_[kLogFocal] < 0.5 * kFocalSigma;
  camera.origin = is_given()    ? CameraOrigin::kGiven
                  : is_observed ? CameraOrigin::kEstimated
                                : CameraOrigin::kGuess;
  return camera;
}

}  // namespace calfvo
