// SPDX-License-Identifier: Apache-2.0
// The reprojection error of a point that is stored as an inverse depth, under a rolling shutter.
//
// A row at height y is exposed τ = readout · (y / height − ½) frame intervals after the middle of its frame.
// At that time the camera is at c + R·v·τ with rotation R·Exp(ω·τ), where ω and v are the keyframe's
// velocities. With m the direction of the point in its anchor a and ρ its inverse depth, keyframe j sees
//   h = Exp(ω_j τ_j)ᵀ (R_jᵀ (R_a (Exp(ω_a τ_a) m + ρ v_a τ_a) + ρ (c_a − c_j)) − ρ v_j τ_j).
#pragma once

#include <ceres/sized_cost_function.h>

#include "refine/camera_params.h"
#include "refine/tracks.h"

namespace calfvo {

// A keyframe's correction: rotation vector about camera axes, then translation along world axes.
//   R = R₀·Exp(δ₀₋₂),  c = c₀ + δ₃₋₅
using PoseDelta = Eigen::Matrix<double, 6, 1>;
inline constexpr double kNoCorrection[6] = {};

// The pose of `keyframe` corrected by `delta`, an array of 6.
Rigid3 Corrected(const Rigid3& world_from_camera, const double* delta);

// Derivatives of a predicted pixel.
struct PredictionJacobians {
  Eigen::Matrix<double, 2, 6> by_anchor;
  Eigen::Matrix<double, 2, 6> by_view;
  Eigen::Vector2d by_inverse_depth;
  CameraJacobian by_camera;
};

// One view of a point, prepared for repeated evaluation.
struct PointView {
  const Keyframe* anchor = nullptr;  // borrowed
  const Keyframe* view = nullptr;    // borrowed
  Eigen::Vector2d anchor_pixel = Eigen::Vector2d::Zero();
  Eigen::Vector2d view_pixel = Eigen::Vector2d::Zero();
  double image_height = 1.0;
};

// Where the point is seen, given corrections of both keyframes. False if it is behind the camera.
bool PredictPixel(const PointView& point, const double* anchor_delta, const double* view_delta,
                  double inverse_depth, const CameraParams& camera, Eigen::Vector2d& pixel,
                  PredictionJacobians* jacobians = nullptr);

// Predicted minus measured pixel. Parameters: anchor's correction, view's correction, inverse depth, camera.
class ReprojectionCost final : public ceres::SizedCostFunction<2, 6, 6, 1, kCameraParams> {
 public:
  explicit ReprojectionCost(const PointView& point) : point_(point) {}
  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override;

 private:
  const PointView point_;
};

}  // namespace calfvo
