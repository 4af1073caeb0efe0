// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/umeyama.h"

#include <cmath>
#include <limits>

#include "calfvo/error.h"
#include "core/geometry/procrustes.h"

namespace calfvo {
namespace {

// Squared ratio of a line's width to its length: the cross-covariance is quadratic in the coordinates.
constexpr double kLineTolerance = 1e-12;

// Spreads and correlations below this many units of rounding are taken for zero.
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();

bool Coincide(double variance, const Eigen::Vector3d& mean) {
  return std::sqrt(variance) <= kRounding * mean.norm();
}

void Check(const PointPairMoments& moments) {
  if (moments.count == 0) throw Error("fit of a similarity: no points, expected at least 1");
  if (!moments.mean_from.allFinite() || !std::isfinite(moments.variance_from)) {
    throw Error("fit of a similarity: a point to map from is not finite or too large");
  }
  if (!moments.mean_to.allFinite() || !std::isfinite(moments.variance_to)) {
    throw Error("fit of a similarity: a point to map to is not finite or too large");
  }
}

}  // namespace

SimilarityFit FitSimilarity(const PointPairMoments& moments, bool with_scale) {
  Check(moments);
  const auto join_centroids = [&](double scale, const Quaternion& rotation) -> Similarity3 {
    return {scale, rotation, moments.mean_to - scale * (rotation * moments.mean_from)};
  };
  if (Coincide(moments.variance_from, moments.mean_from) || Coincide(moments.variance_to, moments.mean_to)) {
    return {join_centroids(1.0, Quaternion::Identity()), false};
  }

  const RotationFit fit = FitRotation(moments.covariance_to_from, kLineTolerance);
  // No correlation at all: any rotation is as good as another, and the best scale would be zero.
  const double spread = std::sqrt(moments.variance_from) * std::sqrt(moments.variance_to);
  if (fit.singular_values(0) <= kRounding * spread) {
    return {join_centroids(1.0, Quaternion::Identity()), false};
  }
  const double scale = with_scale ? fit.singular_values.sum() / moments.variance_from : 1.0;
  return {join_centroids(scale, Quaternion(fit.rotation).normalized()), fit.unique};
}

}  // namespace calfvo
