// SPDX-License-Identifier: Apache-2.0
#include "refine/adjustment.h"

#include <ceres/loss_function.h>
#include <ceres/manifold.h>
#include <ceres/normal_prior.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "core/geometry/so3.h"
#include "refine/reprojection.h"

namespace calfvo {
namespace {

constexpr double kFailedViewPx = 1e3;
// Points nearer than this are noise; farther ones are at infinity. 1 / metres.
constexpr double kMaxInverseDepth = 20.0;
constexpr double kMinInverseDepth = -0.05;
// Keyframes over which lengths are compared. The network smooths fast shaking, so that single edges come out
// short where displacements over many do not.
constexpr size_t kScaleSpan = 15;

PointView ViewOf(const Adjustment& adjustment, const Track& track, const Track::View& view) {
  return {&adjustment.keyframes[static_cast<size_t>(track.views.front().keyframe)],
          &adjustment.keyframes[static_cast<size_t>(view.keyframe)], track.views.front().pixel, view.pixel,
          adjustment.image_height};
}

// Holds the parameter blocks of one solve.
class Problem {
 public:
  Problem(Adjustment& adjustment, const AdjustOptions& options)
      : adjustment_(adjustment),
        fix_points_(options.fix_points),
        loss_px_(options.loss_px),
        deltas_(adjustment.keyframes.size(), PoseDelta::Zero()) {
    ceres::Problem::Options ownership;
    ownership.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    problem_ = std::make_unique<ceres::Problem>(ownership);
    ordering_ = std::make_shared<ceres::ParameterBlockOrdering>();
    AddPoses();
    AddCamera(options.prior);
    AddTracks(options.fix_points);
    AddPriors(options.trust);
  }

  double Solve(int max_iterations) {
    ceres::Solver::Options solver;
    if (fix_points_) {
      solver.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
    } else {
      solver.linear_solver_type = ceres::SPARSE_SCHUR;
      solver.linear_solver_ordering = ordering_;
    }
    solver.max_num_iterations = max_iterations;
    solver.function_tolerance = 1e-4;
    solver.num_threads = 1;  // sums in one order: the same bytes each time
    solver.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(solver, problem_.get(), &summary);
    if (!summary.IsSolutionUsable()) return summary.initial_cost;
    for (size_t i = 0; i < deltas_.size(); ++i) {
      Rigid3& pose = adjustment_.keyframes[i].world_from_camera;
      pose = Corrected(pose, deltas_[i].data());
    }
    return summary.final_cost;
  }

 private:
  void AddPoses() {
    for (size_t i = 0; i < deltas_.size(); ++i) {
      problem_->AddParameterBlock(deltas_[i].data(), 6);
      ordering_->AddElementToGroup(deltas_[i].data(), 1);
      if (adjustment_.keyframes[i].fixed) problem_->SetParameterBlockConstant(deltas_[i].data());
    }
  }

  void AddCamera(const CameraPrior& prior) {
    double* const camera = adjustment_.camera.data();
    std::vector<int> constant;
    ceres::Matrix scale = ceres::Matrix::Zero(kCameraParams, kCameraParams);
    ceres::Vector mean(kCameraParams);
    for (int i = 0; i < kCameraParams; ++i) {
      const auto k = static_cast<size_t>(i);
      mean[i] = prior.mean[k];
      if (prior.sigma[k] > 0.0) {
        scale(i, i) = 1.0 / prior.sigma[k];
      } else {
        constant.push_back(i);
      }
    }
    problem_->AddParameterBlock(camera, kCameraParams);
    ordering_->AddElementToGroup(camera, 1);
    if (constant.size() == kCameraParams) {
      problem_->SetParameterBlockConstant(camera);
      return;
    }
    if (!constant.empty()) problem_->SetManifold(camera, new ceres::SubsetManifold(kCameraParams, constant));
    problem_->AddResidualBlock(new ceres::NormalPrior(scale, mean), nullptr, camera);
  }

  void AddTracks(bool fixed) {
    for (Track& track : adjustment_.tracks) {
      problem_->AddParameterBlock(&track.inverse_depth, 1);
      if (fixed) {
        problem_->SetParameterBlockConstant(&track.inverse_depth);
      } else {
        problem_->SetParameterLowerBound(&track.inverse_depth, 0, kMinInverseDepth);
        problem_->SetParameterUpperBound(&track.inverse_depth, 0, kMaxInverseDepth);
      }
      ordering_->AddElementToGroup(&track.inverse_depth, 0);
      double* const anchor = delta(track.views.front().keyframe);
      ceres::LossFunction* const loss = LossOf(track.noise);
      for (size_t v = 1; v < track.views.size(); ++v) {
        problem_->AddResidualBlock(new ReprojectionCost(ViewOf(adjustment_, track, track.views[v])), loss,
                                   anchor, delta(track.views[v].keyframe), &track.inverse_depth,
                                   adjustment_.camera.data());
      }
    }
  }

  void AddPriors(const NetworkTrust& trust) {
    problem_->AddParameterBlock(&gain_, 1);
    ordering_->AddElementToGroup(&gain_, 1);
    if (trust.gain_sigma > 0.0) {
      problem_->AddResidualBlock(new ceres::NormalPrior(ceres::Matrix::Constant(1, 1, 1.0 / trust.gain_sigma),
                                                        ceres::Vector::Ones(1)),
                                 nullptr, &gain_);
    } else {
      problem_->SetParameterBlockConstant(&gain_);
    }
    const std::vector<Keyframe>& keyframes = adjustment_.keyframes;
    for (size_t i = 0; i < adjustment_.edges.size(); ++i) {
      const PriorEdge& edge = adjustment_.edges[i];
      if (i == 0) {
        problem_->AddResidualBlock(MakeNetworkPrior(keyframes[i], keyframes[i + 1], edge, trust).release(),
                                   nullptr, deltas_[i].data(), deltas_[i + 1].data(), &gain_);
      } else {
        problem_->AddResidualBlock(MakeNetworkPrior(keyframes[i - 1], adjustment_.edges[i - 1], keyframes[i],
                                                    keyframes[i + 1], edge, trust)
                                       .release(),
                                   nullptr, deltas_[i - 1].data(), deltas_[i].data(), deltas_[i + 1].data(),
                                   &gain_);
      }
    }
  }

  // Residuals are divided by `noise`.
  ceres::LossFunction* LossOf(double noise) {
    std::unique_ptr<ceres::LossFunction>& loss = losses_[noise];
    if (!loss) {
      loss = std::make_unique<ceres::ScaledLoss>(new ceres::CauchyLoss(loss_px_ * noise),
                                                 1.0 / (noise * noise), ceres::TAKE_OWNERSHIP);
    }
    return loss.get();
  }

  double* delta(int keyframe) { return deltas_[static_cast<size_t>(keyframe)].data(); }

  Adjustment& adjustment_;
  const bool fix_points_;
  const double loss_px_;
  std::vector<PoseDelta> deltas_;
  double gain_ = 1.0;
  std::map<double, std::unique_ptr<ceres::LossFunction>> losses_;
  std::unique_ptr<ceres::Problem> problem_;
  std::shared_ptr<ceres::ParameterBlockOrdering> ordering_;
};

}  // namespace

void TriangulateTracks(Adjustment& adjustment) {
  const CameraParams& camera = adjustment.camera;
  const auto direction = [&](const Keyframe& keyframe, const Eigen::Vector2d& pixel,
                             Eigen::Vector3d& center) {
    const double time = camera[kReadout] * (pixel.y() / adjustment.image_height - 0.5);
    const Rigid3& pose = keyframe.world_from_camera;
    center = pose.translation + pose.rotation * (keyframe.velocity * time);
    return Quaternion(pose.rotation * ExpSO3(keyframe.angular_velocity * time));
  };
  for (Track& track : adjustment.tracks) {
    const Track::View& anchor = track.views.front();
    Eigen::Vector3d anchor_center;
    const Quaternion world_from_anchor =
        direction(adjustment.keyframes[static_cast<size_t>(anchor.keyframe)], anchor.pixel, anchor_center);
    const Eigen::Vector3d ray = world_from_anchor * Unproject(camera, anchor.pixel).homogeneous();
    // Each view: x × (A + ρ B) = 0 in its first two rows, linear in ρ.
    double numerator = 0.0;
    double denominator = 1e-12;
    for (size_t v = 1; v < track.views.size(); ++v) {
      Eigen::Vector3d center;
      const Quaternion world_from_view = direction(
          adjustment.keyframes[static_cast<size_t>(track.views[v].keyframe)], track.views[v].pixel, center);
      const Eigen::Vector3d a = world_from_view.conjugate() * ray;
      const Eigen::Vector3d b = world_from_view.conjugate() * (anchor_center - center);
      const Eigen::Vector2d x = Unproject(camera, track.views[v].pixel);
      const Eigen::Vector2d constant = x * a.z() - a.head<2>();
      const Eigen::Vector2d slope = x * b.z() - b.head<2>();
      numerator -= slope.dot(constant);
      denominator += slope.squaredNorm();
    }
    track.inverse_depth = std::clamp(numerator / denominator, 0.0, kMaxInverseDepth);
  }
}

double Adjust(Adjustment& adjustment, const AdjustOptions& options) {
  return Problem(adjustment, options).Solve(options.max_iterations);
}

void AnchorScale(Adjustment& adjustment) {
  double product = 0.0;
  double square = 0.0;
  for (size_t begin = 0; begin < adjustment.edges.size(); begin += kScaleSpan) {
    const size_t end = std::min(begin + kScaleSpan, adjustment.edges.size());
    Rigid3 network;
    for (size_t i = begin; i < end; ++i) network = network * adjustment.edges[i].first_from_second;
    const double length = (adjustment.keyframes[end].world_from_camera.translation -
                           adjustment.keyframes[begin].world_from_camera.translation)
                              .norm();
    product += length * network.translation.norm();
    square += length * length;
  }
  if (!(product > 0.0 && square > 0.0)) return;
  const double scale = product / square;
  const Eigen::Vector3d origin = adjustment.keyframes.front().world_from_camera.translation;
  for (Keyframe& keyframe : adjustment.keyframes) {
    Eigen::Vector3d& center = keyframe.world_from_camera.translation;
    center = origin + scale * (center - origin);
  }
  for (Track& track : adjustment.tracks) track.inverse_depth /= scale;
}

double ViewError(const Adjustment& adjustment, const Track& track, const Track::View& view) {
  Eigen::Vector2d pixel;
  if (!PredictPixel(ViewOf(adjustment, track, view), kNoCorrection, kNoCorrection, track.inverse_depth,
                    adjustment.camera, pixel)) {
    return kFailedViewPx;
  }
  return (pixel - view.pixel).norm();
}

void PruneTracks(Adjustment& adjustment, double max_error_px) {
  for (Track& track : adjustment.tracks) {
    auto& views = track.views;
    const auto is_bad = [&](const Track::View& view) {
      return &view != &views.front() && !(ViewError(adjustment, track, view) <= max_error_px);
    };
    std::vector<Track::View> kept;
    for (const Track::View& view : views) {
      if (!is_bad(view)) kept.push_back(view);
    }
    views = std::move(kept);
  }
  std::erase_if(adjustment.tracks, [](const Track& track) {
    return track.views.size() < 2 || track.inverse_depth <= kMinInverseDepth ||
           track.inverse_depth >= kMaxInverseDepth;
  });
}

double ReprojectionLoss(const Adjustment& adjustment, double loss_px) {
  double sum = 0.0;
  for (const Track& track : adjustment.tracks) {
    for (size_t v = 1; v < track.views.size(); ++v) {
      const double error = ViewError(adjustment, track, track.views[v]) / loss_px;
      sum += 0.5 * loss_px * loss_px * std::log1p(error * error);
    }
  }
  return sum;
}

}  // namespace calfvo
