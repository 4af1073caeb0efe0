// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of small symmetric matrices by cyclic Jacobi rotations.

export interface Eigen {
  values: Float64Array; // not sorted
  vectors: Float64Array; // column k, of n entries row by row, belongs to values[k]: vectors[row * n + k]
}

// `matrix` is n×n, row by row; it is not changed.
export function symmetricEigen(matrix: ArrayLike<number>, n: number): Eigen {
  const a = Float64Array.from(matrix);
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; ++i) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < 50; ++sweep) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < n; ++i) {
      diagonal += a[i * n + i] ** 2;
      for (let j = i + 1; j < n; ++j) off += a[i * n + j] ** 2;
    }
    if (!(off > 1e-30 * diagonal)) break;
    for (let p = 0; p < n; ++p) for (let q = p + 1; q < n; ++q) zeroOut(a, vectors, n, p, q);
  }
  const values = new Float64Array(n);
  for (let i = 0; i < n; ++i) values[i] = a[i * n + i];
  return { values, vectors };
}

// Rotates rows and columns p and q such that a[p, q] becomes 0.
function zeroOut(a: Float64Array, vectors: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q];
  if (apq === 0) return;
  const theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; ++k) {
    const kp = a[k * n + p], kq = a[k * n + q];
    a[k * n + p] = c * kp - s * kq;
    a[k * n + q] = s * kp + c * kq;
  }
  for (let k = 0; k < n; ++k) {
    const pk = a[p * n + k], qk = a[q * n + k];
    a[p * n + k] = c * pk - s * qk;
    a[q * n + k] = s * pk + c * qk;
  }
  for (let k = 0; k < n; ++k) {
    const kp = vectors[k * n + p], kq = vectors[k * n + q];
    vectors[k * n + p] = c * kp - s * kq;
    vectors[k * n + q] = s * kp + c * kq;
  }
}
