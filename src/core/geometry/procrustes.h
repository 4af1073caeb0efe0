// SPDX-License-Identifier: Apache-2.0
// The rotation nearest to a matrix (special orthogonal Procrustes problem).
//
// With M = U·diag(σ)·Vᵀ and σ₁ ≥ σ₂ ≥ σ₃ ≥ 0, the R in SO(3) that minimises ‖R − M‖_F, and so maximises
// tr(RᵀM), is U·diag(1, 1, d)·Vᵀ with d = det U · det V = ±1. The maximum is σ₁ + σ₂ + d·σ₃.
//
// It is unique while σ₂ + d·σ₃ > 0. Otherwise (rank 1, or a reflection with σ₂ = σ₃) only the line is
// determined: every rotation that takes v₁ to u₁ is optimal, and the one of least angle is chosen.
#pragma once

#include <Eigen/Core>

namespace calfvo {

struct RotationFit {
  Eigen::Matrix3d rotation;         // orthonormal to rounding, det = +1
  Eigen::Vector3d singular_values;  // (σ₁, σ₂, d·σ₃), the last one signed
  bool unique;                      // false where a whole circle of rotations, or more, does equally well
};

// The nearest rotation to `matrix`, of any scale. `unique` is false, and the rotation the one of least angle,
// where σ₂ + d·σ₃ ≤ tolerance · σ₁. Zero gives the identity. Throws Error for elements that are not finite.
RotationFit FitRotation(const Eigen::Matrix3d& matrix, double tolerance = 1e-15);

// FitRotation's rotation. The second is computed in double and rounded once. Every finite matrix has an
// answer, the same one each time: reflections, rank 2 and rank 1 as above, identity for zero. A network
// that puts out NaN or infinity is broken, and a pose made up in its place would hide that: they throw Error.
Eigen::Matrix3d NearestRotation(const Eigen::Matrix3d& matrix);
Eigen::Matrix3f NearestRotation(const Eigen::Matrix3f& matrix);

}  // namespace calfvo
