// SPDX-License-Identifier: Apache-2.0
// The exponential map of rigid motions and its inverse.
#pragma once

#include "calfvo/geometry.h"

namespace calfvo {

// A twist is (ρ, φ): translation first, rotation second, the order of every covariance in calfvo. ExpSE3 is
// the matrix exponential of [[ [φ]×, ρ ], [0, 0]]: the rotation Exp(φ) and the translation J(φ)·ρ, with J the
// left Jacobian of SO(3). Note that ρ is the translation itself only where φ = 0.
Rigid3 ExpSE3(const Vector6& twist);

// The twist with the shortest φ whose exponential is `rigid`; |φ| ≤ π. See LogSO3 for the choice at π.
Vector6 LogSE3(const Rigid3& rigid);

}  // namespace calfvo
