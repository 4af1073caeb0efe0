// SPDX-License-Identifier: Apache-2.0
#include "nn/model/head.h"

#include <fmt/format.h>

#include <cmath>

#include "calfvo/error.h"
#include "core/geometry/procrustes.h"

namespace calfvo {
namespace {

Eigen::Matrix3d GramSchmidt(const Eigen::Vector3d& first, const Eigen::Vector3d& second) {
  Eigen::Matrix3d rotation;
  rotation.col(0) = first.normalized();
  rotation.col(1) = (second - rotation.col(0).dot(second) * rotation.col(0)).normalized();
  rotation.col(2) = rotation.col(0).cross(rotation.col(1));
  return rotation;
}

Quaternion InterpretRotation(RotationHead kind, std::span<const float> values) {
  const auto v = [&](size_t i) { return static_cast<double>(values[i]); };
  switch (kind) {
    case RotationHead::kProcrustes: {
      Eigen::Matrix3d matrix;
      for (int i = 0; i < 9; ++i) matrix(i / 3, i % 3) = v(static_cast<size_t>(i));
      return Quaternion(NearestRotation(matrix));
    }
    case RotationHead::kGramSchmidt:
      return Quaternion(GramSchmidt({v(0), v(1), v(2)}, {v(3), v(4), v(5)}));
    case RotationHead::kQuaternion:
      return Quaternion(v(0), v(1), v(2), v(3)).normalized();
    case RotationHead::kEuler:
      break;
  }
  using Eigen::AngleAxisd;
  using Eigen::Vector3d;
  return Quaternion(AngleAxisd(v(2), Vector3d::UnitZ()) * AngleAxisd(v(1), Vector3d::UnitY()) *
                    AngleAxisd(v(0), Vector3d::UnitX()));
}

double CheckedU(double u) {
  constexpr double kMost = 100.0;
  if (!(std::abs(u) <= kMost)) {
    throw Error(
        fmt::format("the network's log of its expected error is {}; expected -{} to {}", u, kMost, kMost));
  }
  return u;
}

}  // namespace

PairEstimate InterpretPair(const HeadConfig& config, std::span<const float> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) throw Error(fmt::format("output {} is {}", i, values[i]));
  }
  const auto r = static_cast<size_t>(config.rotation_values());
  PairEstimate estimate;
  estimate.first_from_second.rotation = InterpretRotation(config.rotation, values.first(r));
  if (!(std::abs(estimate.first_from_second.rotation.norm() - 1.0) < 1e-6)) {
    throw Error("the network's rotation output cannot be made a rotation");
  }
  for (size_t i = 0; i < 3; ++i) {
    estimate.first_from_second.translation[static_cast<Eigen::Index>(i)] =
        static_cast<double>(values[r + i]) * config.translation_std[i] + config.translation_mean[i];
  }
  if (config.confidence) {
    estimate.u_rotation = CheckedU(static_cast<double>(values[r + 3]) + config.log_variance_shift[0]);
    estimate.u_translation = CheckedU(static_cast<double>(values[r + 4]) + config.log_variance_shift[1]);
  }
  return estimate;
}

}  // namespace calfvo
