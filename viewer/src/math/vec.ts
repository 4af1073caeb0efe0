// SPDX-License-Identifier: Apache-2.0
// Quaternions (x y z w) and 3-vectors in plain arrays, without allocation where an output is given.

export type Numbers = ArrayLike<number>;
export type Output = { [index: number]: number };

// out = q · v · q⁻¹, reading v at `at`.
export function rotate(q: Numbers, qAt: number, v: Numbers, at: number, out: Output): void {
  const x = q[qAt], y = q[qAt + 1], z = q[qAt + 2], w = q[qAt + 3];
  const a = v[at], b = v[at + 1], c = v[at + 2];
  const tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
  out[0] = a + w * tx + y * tz - z * ty;
  out[1] = b + w * ty + z * tx - x * tz;
  out[2] = c + w * tz + x * ty - y * tx;
}

// out = p · q.
export function multiply(p: Numbers, pAt: number, q: Numbers, qAt: number, out: Output): void {
  const ax = p[pAt], ay = p[pAt + 1], az = p[pAt + 2], aw = p[pAt + 3];
  const bx = q[qAt], by = q[qAt + 1], bz = q[qAt + 2], bw = q[qAt + 3];
  out[0] = aw * bx + ax * bw + ay * bz - az * by;
  out[1] = aw * by - ax * bz + ay * bw + az * bx;
  out[2] = aw * bz + ax * by - ay * bx + az * bw;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

export function conjugate(q: Numbers, at: number): number[] {
  return [-q[at], -q[at + 1], -q[at + 2], q[at + 3]];
}

export function distance(a: Numbers, aAt: number, b: Numbers, bAt: number): number {
  return Math.hypot(a[aAt] - b[bAt], a[aAt + 1] - b[bAt + 1], a[aAt + 2] - b[bAt + 2]);
}
