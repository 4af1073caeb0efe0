// SPDX-License-Identifier: Apache-2.0
// The similarity that best maps one point set onto another (S. Umeyama, "Least-squares estimation of
// transformation parameters between two point patterns", PAMI 1991).
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "calfvo/geometry.h"

namespace calfvo {

struct SimilarityFit {
  Similarity3 transform;  // to ≈ transform * from
  bool unique = false;    // false where the points leave part of the transform open; see FitSimilarity
};

// FitSimilarity minimises Σ ‖toᵢ − (s·R·fromᵢ + t)‖² over rotations R (never reflections), translations t
// and, `with_scale`, s > 0; otherwise s = 1. Needs two passes over the points and no copy of them, and
// subtracts the means first, so that points far from the origin keep their digits.
//
// Where the points do not determine everything, `unique` is false, and the transform is a best one that
// departs least from the identity:
// - One point, or all points of `from` or of `to` coincide up to rounding, or the two sets are uncorrelated:
//   R = I, s = 1, t joins the centroids. (Were `to` one point, the best s would be 0: no similarity.)
// - All on a line, in either set: of the rotations that take line to line, the one of least angle. A line
//   is a set that spreads sideways less than a millionth of its length: below, rounding would decide the
//   roll.
// - Reflections whose cross-covariance has σ₂ = σ₃ with the sign of a reflection.
// Points in a plane, and reflections in general, determine the transform.
//
// Throws Error for no points, or coordinates that are not finite or so large that their squares are not.

// What the fit depends on: means, and second moments about them, divided by the number of points.
struct PointPairMoments {
  size_t count = 0;
  Eigen::Vector3d mean_from = Eigen::Vector3d::Zero();
  Eigen::Vector3d mean_to = Eigen::Vector3d::Zero();
  double variance_from = 0.0;                                    // mean of ‖from − mean_from‖²
  double variance_to = 0.0;                                      // mean of ‖to − mean_to‖²
  Eigen::Matrix3d covariance_to_from = Eigen::Matrix3d::Zero();  // mean of (to − mean_to)(from − mean_from)ᵀ
};

SimilarityFit FitSimilarity(const PointPairMoments& moments, bool with_scale);

// The same for points, which need not lie in an array of their own: from_at(i) and to_at(i), for i in
// [0, count), return an Eigen::Vector3d or a reference to one of the caller's. They are called two or three
// times per index.
//   FitSimilarity(pairs.size(), [&](size_t i) { return a[pairs[i].first].translation; },
//                 [&](size_t i) { return b[pairs[i].second].translation; }, true);
template <typename FromAt, typename ToAt>
SimilarityFit FitSimilarity(size_t count, const FromAt& from_at, const ToAt& to_at, bool with_scale) {
  PointPairMoments moments;
  moments.count = count;
  if (count == 0) return FitSimilarity(moments, with_scale);

  // Differences to the first point are summed, not the points: coincident points have exactly their own mean.
  const Eigen::Vector3d& first_from = from_at(size_t{0});
  const Eigen::Vector3d& first_to = to_at(size_t{0});
  const double weight = 1.0 / static_cast<double>(count);
  for (size_t i = 1; i < count; ++i) {
    moments.mean_from += from_at(i) - first_from;
    moments.mean_to += to_at(i) - first_to;
  }
  moments.mean_from = first_from + weight * moments.mean_from;
  moments.mean_to = first_to + weight * moments.mean_to;
  for (size_t i = 0; i < count; ++i) {
    const Eigen::Vector3d from = from_at(i) - moments.mean_from;
    const Eigen::Vector3d to = to_at(i) - moments.mean_to;
    moments.variance_from += weight * from.squaredNorm();
    moments.variance_to += weight * to.squaredNorm();
    moments.covariance_to_from += weight * to * from.transpose();
  }
  return FitSimilarity(moments, with_scale);
}

}  // namespace calfvo
