// SPDX-License-Identifier: Apache-2.0
// How uncertainty travels along a chain of relative poses.
#pragma once

#include "calfvo/geometry.h"

namespace calfvo {

// The correlation of the errors of neighbouring steps, in their standard deviations: 0, independent, to below
// 1, always the same.
struct EdgeCorrelation {
  double rotation = 0.0;
  double translation = 0.0;
};

// The covariance of the end of a chain of relative poses, one after the other, that starts at a pose without
// error; to first order in the errors.
//
// Pose errors are (δp, δθ): along the world's axes and about the camera's,
//   p_true = p + δp,  R_true = R·Exp(δθ).
// A step's error is (ε_t, ε_R): a_from_b has
//   t_true = t + ε_t (along a's axes),  R_true = R_e·Exp(ε_R) (about b's axes).
// Then (δp, δθ)_b = F (δp, δθ)_a + G (ε_t, ε_R) with
//   F = [ I  −R_a [t]× ]    G = [ R_a  0 ]
//       [ 0   R_eᵀ     ]        [ 0    I ]
// The errors are (σ_t b_t, σ_R b_R) with b of unit variance, which goes on from step to step as
// b' = ρ b + √(1 − ρ²) w, w new, axis by axis. Good while the angles' standard deviations are far below one
// radian.
class CovarianceChain {
 public:
  explicit CovarianceChain(const EdgeCorrelation& correlation);

  // The chain ends at `world_from_a` and goes on to b.
  void Add(const Rigid3& world_from_a, const Rigid3& a_from_b, double sigma_translation,
           double sigma_rotation);
  const Matrix6& covariance() const { return covariance_; }  // symmetric to the bit

 private:
  Vector6 correlation_;
  Matrix6 covariance_ = Matrix6::Zero();
  Matrix6 with_step_ = Matrix6::Zero();  // of the end's errors with b
};

}  // namespace calfvo
