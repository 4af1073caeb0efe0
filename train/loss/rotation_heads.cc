// SPDX-License-Identifier: Apache-2.0
#include "loss/rotation_heads.h"

#include <vector>

#include "loss/procrustes.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

// The smallest length distinguished from zero.
constexpr double kMinNorm = 1e-6;

Tensor Normalized(const Tensor& v) {
  return v * torch::rsqrt((v * v).sum(-1, true) + kMinNorm * kMinNorm);
}

Tensor Matrix(const std::vector<Tensor>& elements_by_row) {
  return torch::stack(elements_by_row, -1).unflatten(-1, {3, 3});
}

Tensor FromGramSchmidt(const Tensor& values) {
  const Tensor x = Normalized(values.narrow(-1, 0, 3));
  const Tensor second = values.narrow(-1, 3, 3);
  const Tensor y = Normalized(second - (x * second).sum(-1, true) * x);
  return torch::stack({x, y, torch::linalg_cross(x, y)}, -1);
}

Tensor FromQuaternion(const Tensor& values) {
  const std::vector<Tensor> q = Normalized(values).unbind(-1);
  const Tensor& w = q[0];
  const Tensor& x = q[1];
  const Tensor& y = q[2];
  const Tensor& z = q[3];
  return Matrix({1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
                 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
                 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)});
}

// Rz(v₂)·Ry(v₁)·Rx(v₀).
Tensor FromEuler(const Tensor& values) {
  const std::vector<Tensor> c = torch::cos(values).unbind(-1);
  const std::vector<Tensor> s = torch::sin(values).unbind(-1);
  return Matrix({c[2] * c[1], c[2] * s[1] * s[0] - s[2] * c[0], c[2] * s[1] * c[0] + s[2] * s[0],  //
                 s[2] * c[1], s[2] * s[1] * s[0] + c[2] * c[0], s[2] * s[1] * c[0] - c[2] * s[0],  //
                 -s[1], c[1] * s[0], c[1] * c[0]});
}

}  // namespace

Tensor RotationsFromValues(const Tensor& values, RotationHead head) {
  switch (head) {
    case RotationHead::kProcrustes:
      return NearestRotations(values.unflatten(-1, {3, 3}));
    case RotationHead::kGramSchmidt:
      return FromGramSchmidt(values);
    case RotationHead::kQuaternion:
      return FromQuaternion(values);
    case RotationHead::kEuler:
      break;
  }
  return FromEuler(values);
}

}  // namespace calfvo::train
