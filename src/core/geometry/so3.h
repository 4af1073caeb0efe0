// SPDX-License-Identifier: Apache-2.0
// Rotations of three-space: the exponential map, its inverse, and angles.
//
// A rotation vector is axis · angle, in radians. Quaternions are of unit norm, q and −q being the same
// rotation. Nothing here throws: where an input is not finite, so is the output.
#pragma once

#include <Eigen/Core>

#include "calfvo/geometry.h"

namespace calfvo {

// The skew-symmetric matrix [v]× with [v]× x = v × x.
Eigen::Matrix3d Hat(const Eigen::Vector3d& v);

// The rotation by |v| about v. Every |v| is allowed; the relative accuracy of the quaternion's vector part
// does not fade as |v| → 0.
Quaternion ExpSO3(const Eigen::Vector3d& rotation_vector);

// The shortest v with ExpSO3(v) = ±rotation, so |v| ≤ π up to rounding. Depends on the rotation only, not on
// the sign nor the norm of the quaternion: at exactly π, where v and −v both serve, the first component that
// is not zero is positive. The zero quaternion, which is not a rotation, gives zero.
Eigen::Vector3d LogSO3(const Quaternion& rotation);

// |LogSO3(rotation)|, in [0, π]: 2·atan2(|v|, |w|), which unlike an arc cosine loses no digits at either end.
double RotationAngle(const Quaternion& rotation);

// The angle of the rotation from `a` to `b`, in [0, π]. Exactly symmetric, and exactly 0 for a = ±b. Both
// must have unit norm.
double AngleBetween(const Quaternion& a, const Quaternion& b);

// The one of q and −q whose first component that is not zero, in the order w, x, y, z, is positive.
Quaternion CanonicalSign(const Quaternion& rotation);

// The rotation of least angle that takes the direction `from` to the direction `to`, both of unit norm. For
// opposite directions it turns by π about some axis at right angles to them, the same one each time.
Quaternion MinimalRotation(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

}  // namespace calfvo
