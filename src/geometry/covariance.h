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

}  // namespace calfvo
