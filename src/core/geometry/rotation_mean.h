// SPDX-License-Identifier: Apache-2.0
// The mean of rotations.
#pragma once

#include <span>

#include "calfvo/geometry.h"

namespace calfvo {

// The rotation R that minimises Σ wᵢ ‖R − Rᵢ‖²_F. As tr(RᵀRᵢ) = 4(q·qᵢ)² − 1, that is the unit eigenvector of
// the largest eigenvalue of Σ wᵢ qᵢqᵢᵀ (Markley et al., "Averaging Quaternions", 2007), and the same as
// NearestRotation(Σ wᵢ Rᵢ). The signs of the qᵢ do not matter; the answer has w ≥ 0.
//
// Where the two largest eigenvalues coincide (two rotations of equal weight, 180° apart) the minimum is not
// unique: some rotation that attains it is returned, the same one each time for the same input.
//
// Weights may have any common scale. Throws Error where the spans differ in length, a weight is negative or
// not finite, all are zero (or there are none), or a quaternion of positive weight is not finite. Allocates
// nothing.
Quaternion ChordalMean(std::span<const Quaternion> rotations, std::span<const double> weights);

}  // namespace calfvo
