// SPDX-License-Identifier: Apache-2.0
// Ground truth beside an estimate: matching by time, alignment, errors. docs/metrics.md defines them; the numbers agree with
// `calfvo eval`.
import type { PoseStore } from "../data/columns.ts";
import type { Truth } from "../data/document.ts";
import { symmetricEigen } from "./eigen.ts";
import { conjugate, multiply, rotate } from "./vec.ts";

export type AlignmentName = "none" | "origin" | "se3" | "sim3";

// x ↦ scale · R x + translation.
export interface Similarity {
  scale: number;
  quaternion: number[]; // x y z w
  translation: number[];
}

export const IDENTITY: Similarity = { scale: 1, quaternion: [0, 0, 0, 1], translation: [0, 0, 0] };

// Pairs of indices (truth, estimate): each pose of the shorter list with the nearest of the other, at most `maxDifference`
// seconds apart; each pose is used once.
export function matchByTime(truth: ArrayLike<number>, estimate: ArrayLike<number>, count: number, maxDifference: number): Uint32Array {
  const swap = truth.length > count;
  const few = swap ? estimate : truth;
  const many = swap ? truth : estimate;
  const fewCount = swap ? count : truth.length;
  const manyCount = swap ? truth.length : count;
  const pairs: number[] = [];
  let next = 0;
  let lastUsed = -1;
  for (let i = 0; i < fewCount && manyCount > 0; ++i) {
    while (next + 1 < manyCount && Math.abs(many[next + 1] - few[i]) <= Math.abs(many[next] - few[i])) ++next;
    if (Math.abs(many[next] - few[i]) > maxDifference || next === lastUsed) continue;
    lastUsed = next;
    if (swap) pairs.push(next, i);
    else pairs.push(i, next);
  }
  return Uint32Array.from(pairs);
}

export function apply(transform: Similarity, point: ArrayLike<number>, at: number, out: { [index: number]: number }): void {
  rotate(transform.quaternion, 0, point, at, out);
  for (let k = 0; k < 3; ++k) out[k] = transform.scale * out[k] + transform.translation[k];
}

export function inverse(transform: Similarity): Similarity {
  const quaternion = conjugate(transform.quaternion, 0);
  const translation = [0, 0, 0];
  rotate(quaternion, 0, transform.translation, 0, translation);
  return { scale: 1 / transform.scale, quaternion, translation: translation.map((value) => -value / transform.scale) };
}

// Least squares over positions (Horn's quaternion solution; Umeyama's scale).
export function fit(from: Float64Array, to: Float64Array, withScale: boolean): Similarity {
  const count = from.length / 3;
  const meanFrom = [0, 0, 0];
  const meanTo = [0, 0, 0];
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < 3; ++k) {
      meanFrom[k] += from[3 * i + k] / count;
      meanTo[k] += to[3 * i + k] / count;
    }
  }
  const s = new Float64Array(9); // Σ from toᵀ
  let spread = 0;
  for (let i = 0; i < count; ++i) {
    for (let r = 0; r < 3; ++r) {
      const a = from[3 * i + r] - meanFrom[r];
      spread += a * a;
      for (let c = 0; c < 3; ++c) s[3 * r + c] += a * (to[3 * i + c] - meanTo[c]);
    }
  }
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = s;
  // prettier-ignore
  const n = [xx + yy + zz, yz - zy, zx - xz, xy - yx,
             yz - zy, xx - yy - zz, xy + yx, zx + xz,
             zx - xz, xy + yx, yy - xx - zz, yz + zy,
             xy - yx, zx + xz, yz + zy, zz - xx - yy];
  const { values, vectors } = symmetricEigen(n, 4);
  let best = 0;
  for (let k = 1; k < 4; ++k) if (values[k] > values[best]) best = k;
  const quaternion = [vectors[4 + best], vectors[8 + best], vectors[12 + best], vectors[best]];
  const scale = withScale && spread > 0 ? values[best] / spread : 1;
  const moved = [0, 0, 0];
  rotate(quaternion, 0, meanFrom, 0, moved);
  return { scale, quaternion, translation: moved.map((value, k) => meanTo[k] - scale * value) };
}

export interface Aligned {
  pairs: Uint32Array;
  truthFromEstimate: Similarity;
  estimateFromTruth: Similarity;
  error: Float32Array; // per pose, metres of the truth; NaN without a match
  rmse: number;
}

export function align(truth: Truth, poses: PoseStore, name: AlignmentName, maxDifference: number): Aligned {
  const pairs = matchByTime(truth.time, poses.time, poses.count, maxDifference);
  const truthFromEstimate = pairs.length === 0 ? IDENTITY : alignment(truth, poses, name, pairs);
  const error = new Float32Array(poses.count).fill(NaN);
  const point = [0, 0, 0];
  let sum = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    apply(truthFromEstimate, poses.position, 3 * pairs[i + 1], point);
    const at = 3 * pairs[i];
    const square = (point[0] - truth.position[at]) ** 2 + (point[1] - truth.position[at + 1]) ** 2 + (point[2] - truth.position[at + 2]) ** 2;
    error[pairs[i + 1]] = Math.sqrt(square);
    sum += square;
  }
  return {
    pairs,
    truthFromEstimate,
    estimateFromTruth: inverse(truthFromEstimate),
    error,
    rmse: Math.sqrt(sum / (pairs.length / 2)),
  };
}

function alignment(truth: Truth, poses: PoseStore, name: AlignmentName, pairs: Uint32Array): Similarity {
  if (name === "none") return IDENTITY;
  if (name === "origin") {
    const quaternion = [0, 0, 0, 1];
    multiply(truth.quaternion, 4 * pairs[0], conjugate(poses.quaternion, 4 * pairs[1]), 0, quaternion);
    const moved = [0, 0, 0];
    rotate(quaternion, 0, poses.position, 3 * pairs[1], moved);
    return { scale: 1, quaternion, translation: moved.map((value, k) => truth.position[3 * pairs[0] + k] - value) };
  }
  const count = pairs.length / 2;
  const from = new Float64Array(3 * count);
  const to = new Float64Array(3 * count);
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < 3; ++k) {
      to[3 * i + k] = truth.position[3 * pairs[2 * i] + k];
      from[3 * i + k] = poses.position[3 * pairs[2 * i + 1] + k];
    }
  }
  return fit(from, to, name === "sim3");
}
