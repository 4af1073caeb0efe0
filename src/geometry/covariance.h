// SPDX-License-Identifier: Apache-2.0
// How uncertainty travels along a chain of relative poses.
#pragma once

#include "calfvo/geometry.h"

namespace calfvo {

// Covariance of world_from_b = world_from_a · a_from_b, to first order in the errors.
//
// Pose errors, before and after, are (δp, δθ): along the world's axes and about the camera's,
//   p_true = p + δp,  R_true = R·Exp(δθ).
// The edge's error is (ε_t, ε_R), independent of the pose's: a_from_b has
//   t_true = t + ε_t (along a's axes),  R_true = R_e·Exp(ε_R) (about b's axes).
// Then (δp, δθ)_b = F (δp, δθ)_a + G (ε_t, ε_R) with
//   F = [ I  −R_a [t]× ]    G = [ R_a  0 ]
//       [ 0   R_eᵀ     ]        [ 0    I ]
// and the answer is F·covariance_a·Fᵀ + G·edge_covariance·Gᵀ, symmetric to the bit. Good while the angles'
// standard deviations are far below one radian.
Matrix6 ComposeCovariance(const Matrix6& covariance_a, const Rigid3& world_from_a, const Rigid3& a_from_b,
                          const Matrix6& edge_covariance);

// blkdiag(σ_t² I, σ_R² I): m² and rad².
Matrix6 IsotropicCovariance(double sigma_t_squared, double sigma_r_squared);

// The correlation of the errors of neighbouring steps, in their standard deviations: 0, independent, to below
// 1, always the same.
struct StepCorrelation {
  double rotation = 0.0;
  double translation = 0.0;
};

// The covariance of the end of a chain that starts at a pose without error, one step after the other. A
// step's errors, as an edge's above, are (σ_t b_t, σ_R b_R) with b of unit variance, which goes on from step
// to step as b' = ρ b + √(1 − ρ²) w, w new, axis by axis. Without correlation it is what ComposeCovariance
// gives.
class CovarianceChain {
 public:
  explicit CovarianceChain(const StepCorrelation& correlation);

  // The chain ends at `world_from_a` and goes on to b.
  void Add(const Rigid3& world_from_a, const Rigid3& a_from_b, double sigma_translation,
           double sigma_rotation);
  const Matrix6& covariance() const { return covariance_; }

 private:
  Vector6 correlation_;
  Matrix6 covariance_ = Matrix6::Zero();
  Matrix6 with_step_ = Matrix6::Zero();  // of the end's errors with b
};

}  // namespace calfvo
