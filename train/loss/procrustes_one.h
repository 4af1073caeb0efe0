// SPDX-License-Identifier: Apache-2.0
// The nearest rotation to one 3×3 matrix and its derivative, for CPU and GPU. Computed in double whatever the
// matrix holds: there are few of them.
//
// Forward: tr(RᵀM) is qᵀN(M)q for the unit quaternion q of R, so the best q is the eigenvector of the largest
// eigenvalue of the symmetric 4×4 matrix N. Jacobi's method finds it for every M, singular or not, in a fixed
// number of sweeps. Where many rotations are equally near, one of them results; zero gives the identity.
//
// Backward: with H = RᵀM, which is symmetric, K = tr(H)·I − H and g = vee(RᵀG − GᵀR), ∂L/∂M = R·[K⁻¹g]×. K's
// eigenvalues are sums of two singular values, the smallest of them zero just where R is not unique; there
// 1/λ becomes λ/(λ² + ε²), which is at most 1/(2ε).
#pragma once

#include <cmath>

#include "core/portable/host_device.h"

namespace calfvo::train {

inline constexpr double kProcrustesEpsilon = 1e-4;
inline constexpr int kJacobiSweeps = 8;  // convergence is quadratic: five or six reach the end of double

// Diagonalises the symmetric a: its diagonal becomes the eigenvalues, column i of v the vector of a[i][i].
template <int N>
CALFVO_HD void JacobiEigen(double (&a)[N][N], double (&v)[N][N]) {
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) v[i][j] = i == j ? 1.0 : 0.0;
  }
  for (int sweep = 0; sweep < kJacobiSweeps; ++sweep) {
    for (int p = 0; p < N - 1; ++p) {
      for (int q = p + 1; q < N; ++q) {
        if (a[p][q] == 0.0) continue;
        // The smaller of the two angles that make a[p][q] zero.
        const double half = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        const double t = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(half * half + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0);
        const double s = t * c;
        for (int k = 0; k < N; ++k) {
          const double kp = a[k][p];
          const double kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < N; ++k) {
          const double pk = a[p][k];
          const double qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
          const double vp = v[k][p];
          const double vq = v[k][q];
          v[k][p] = c * vp - s * vq;
          v[k][q] = s * vp + c * vq;
        }
        a[p][q] = 0.0;
        a[q][p] = 0.0;
      }
    }
  }
}

// Matrices [9] row by row. NaN and infinity give NaN.
template <typename Scalar>
CALFVO_HD void NearestRotationOne(const Scalar* matrix, Scalar* rotation) {
  double m[9];
  double scale = 0.0;
  for (int i = 0; i < 9; ++i) {
    m[i] = static_cast<double>(matrix[i]);
    scale = fmax(scale, fabs(m[i]));
  }
  for (int i = 0; i < 9; ++i) m[i] = scale > 0.0 ? m[i] / scale : m[i];
  double n[4][4];  // of quaternions (w, x, y, z)
  n[0][0] = m[0] + m[4] + m[8];
  n[1][1] = m[0] - m[4] - m[8];
  n[2][2] = m[4] - m[0] - m[8];
  n[3][3] = m[8] - m[0] - m[4];
  n[0][1] = n[1][0] = m[7] - m[5];
  n[0][2] = n[2][0] = m[2] - m[6];
  n[0][3] = n[3][0] = m[3] - m[1];
  n[1][2] = n[2][1] = m[1] + m[3];
  n[1][3] = n[3][1] = m[2] + m[6];
  n[2][3] = n[3][2] = m[5] + m[7];
  double v[4][4];
  JacobiEigen(n, v);
  int best = 0;
  for (int i = 1; i < 4; ++i) best = n[i][i] > n[best][best] ? i : best;
  const double w = v[0][best];
  const double x = v[1][best];
  const double y = v[2][best];
  const double z = v[3][best];
  const double s = 2.0 / (w * w + x * x + y * y + z * z);
  rotation[0] = static_cast<Scalar>(1.0 - s * (y * y + z * z));
  rotation[1] = static_cast<Scalar>(s * (x * y - w * z));
  rotation[2] = static_cast<Scalar>(s * (x * z + w * y));
  rotation[3] = static_cast<Scalar>(s * (x * y + w * z));
  rotation[4] = static_cast<Scalar>(1.0 - s * (x * x + z * z));
  rotation[5] = static_cast<Scalar>(s * (y * z - w * x));
  rotation[6] = static_cast<Scalar>(s * (x * z - w * y));
  rotation[7] = static_cast<Scalar>(s * (y * z + w * x));
  rotation[8] = static_cast<Scalar>(1.0 - s * (x * x + y * y));
}

// From `matrix`, its `rotation` and the gradient with respect to that, the gradient with respect to `matrix`.
template <typename Scalar>
CALFVO_HD void NearestRotationOneBackward(const Scalar* matrix, const Scalar* rotation,
                                          const Scalar* rotation_gradient, Scalar* matrix_gradient) {
  double h[3][3];  // RᵀM
  double b[3][3];  // RᵀG
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      h[i][j] = 0.0;
      b[i][j] = 0.0;
      for (int k = 0; k < 3; ++k) {
        const auto r = static_cast<double>(rotation[3 * k + i]);
        h[i][j] += r * static_cast<double>(matrix[3 * k + j]);
        b[i][j] += r * static_cast<double>(rotation_gradient[3 * k + j]);
      }
    }
  }
  const double g[3] = {b[2][1] - b[1][2], b[0][2] - b[2][0], b[1][0] - b[0][1]};
  const double trace = h[0][0] + h[1][1] + h[2][2];
  double k[3][3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) k[i][j] = (i == j ? trace : 0.0) - 0.5 * (h[i][j] + h[j][i]);
  }
  double v[3][3];
  JacobiEigen(k, v);
  double x[3] = {0.0, 0.0, 0.0};  // K⁻¹g
  for (int i = 0; i < 3; ++i) {
    const double lambda = k[i][i];
    const double inverse = lambda / (lambda * lambda + kProcrustesEpsilon * kProcrustesEpsilon);
    const double along = inverse * (v[0][i] * g[0] + v[1][i] * g[1] + v[2][i] * g[2]);
    for (int j = 0; j < 3; ++j) x[j] += along * v[j][i];
  }
  for (int i = 0; i < 3; ++i) {
    const auto r0 = static_cast<double>(rotation[3 * i]);
    const auto r1 = static_cast<double>(rotation[3 * i + 1]);
    const auto r2 = static_cast<double>(rotation[3 * i + 2]);
    matrix_gradient[3 * i] = static_cast<Scalar>(r1 * x[2] - r2 * x[1]);
    matrix_gradient[3 * i + 1] = static_cast<Scalar>(r2 * x[0] - r0 * x[2]);
    matrix_gradient[3 * i + 2] = static_cast<Scalar>(r0 * x[1] - r1 * x[0]);
  }
}

}  // namespace calfvo::train
