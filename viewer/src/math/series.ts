// SPDX-License-Identifier: Apache-2.0
// Curves over time: speed, angles, uncertainty, and thinning for plots.
import type { PoseStore } from "../data/columns.ts";
import { DAMAGED, DROPPED } from "../data/columns.ts";
import { distance } from "./vec.ts";

const DEGREES = 180 / Math.PI;

export interface Series {
  speed: Float32Array; // metres per second, over the relative pose before
  speedSigma: Float32Array; // its standard deviation along the motion
  length: Float64Array; // metres travelled so far
  yaw: Float32Array; // degrees, continuous: to the left is positive
  pitch: Float32Array; // degrees: up is positive
  roll: Float32Array; // degrees: clockwise is positive
  yawSigma: Float32Array;
  pitchSigma: Float32Array;
  rollSigma: Float32Array;
  sigmaTranslation: Float32Array; // metres, of the relative pose before
  sigmaRotation: Float32Array; // degrees
  sigmaPosition: Float32Array; // metres: root of the trace of the pose's covariance
}

// In the z-up frame (x right, y ahead, z up) the viewing direction of an upright camera at yaw 0 is +y.
export function computeSeries(poses: PoseStore): Series {
  const n = poses.count;
  const floats = () => new Float32Array(n);
  const series: Series = {
    speed: floats(), speedSigma: floats(), length: new Float64Array(n),
    yaw: floats(), pitch: floats(), roll: floats(),
    yawSigma: floats(), pitchSigma: floats(), rollSigma: floats(),
    sigmaTranslation: floats(), sigmaRotation: floats(), sigmaPosition: floats(),
  };
  let turns = 0;
  let lastYaw = 0;
  for (let i = 0; i < n; ++i) {
    if (i > 0) {
      const step = distance(poses.position, 3 * i, poses.position, 3 * i - 3);
      const seconds = poses.time[i] - poses.time[i - 1];
      series.length[i] = series.length[i - 1] + step;
      series.speed[i] = seconds > 0 ? step / seconds : 0;
      if (poses.hasConfidence) series.speedSigma[i] = seconds > 0 ? poses.sigma[2 * i] / seconds : 0;
    }
    const at = 4 * i;
    const x = poses.quaternion[at], y = poses.quaternion[at + 1], z = poses.quaternion[at + 2], w = poses.quaternion[at + 3];
    // Camera axes in the world: its z (viewing direction) and its x (to the right); the world's y is down.
    const aheadX = 2 * (x * z + w * y), aheadY = 2 * (y * z - w * x), aheadZ = 1 - 2 * (x * x + y * y);
    const rightX = 1 - 2 * (y * y + z * z), rightY = 2 * (x * y + w * z), rightZ = 2 * (x * z - w * y);
    const level = Math.hypot(aheadX, aheadZ);
    const yaw = Math.atan2(-aheadX, aheadZ) * DEGREES;
    if (i > 0) {
      if (yaw - lastYaw > 180) turns -= 360;
      if (yaw - lastYaw < -180) turns += 360;
    }
    lastYaw = yaw;
    series.yaw[i] = yaw + turns;
    series.pitch[i] = Math.atan2(-aheadY, level) * DEGREES;
    // The horizontal direction to the right of the viewing direction, and how far the camera's x axis dips below it.
    const dip = level > 1e-9 ? (rightX * aheadZ - rightZ * aheadX) / level : 1;
    series.roll[i] = Math.atan2(rightY, dip) * DEGREES;
    if (poses.hasConfidence) {
      const c = 12 * i;
      series.sigmaTranslation[i] = poses.sigma[2 * i];
      series.sigmaRotation[i] = poses.sigma[2 * i + 1] * DEGREES;
      series.sigmaPosition[i] = Math.sqrt(Math.max(0, poses.covariance[c] + poses.covariance[c + 3] + poses.covariance[c + 5]));
      // About the camera's own axes: x pitches, y turns, z rolls. Exact for a level camera.
      series.pitchSigma[i] = Math.sqrt(Math.max(0, poses.covariance[c + 6])) * DEGREES;
      series.yawSigma[i] = Math.sqrt(Math.max(0, poses.covariance[c + 9])) * DEGREES;
      series.rollSigma[i] = Math.sqrt(Math.max(0, poses.covariance[c + 11])) * DEGREES;
    }
  }
  if (n > 1) series.speed[0] = series.speed[1];
  return series;
}

export type SpanKind = "damaged" | "dropped" | "uncertain";

export interface Span {
  from: number; // seconds
  to: number;
  kind: SpanKind;
}

// Frames that deserve distrust: damaged, after dropped frames, and with a σ far above the run's median (over three times, of
// translation or rotation). Neighbouring ones of a kind form one span.
export function distrustedSpans(poses: PoseStore): Span[] {
  const spans: Span[] = [];
  const limits = poses.hasConfidence ? [3 * median(poses.sigma, 0, poses.count), 3 * median(poses.sigma, 1, poses.count)] : [Infinity, Infinity];
  const is = (i: number, kind: SpanKind): boolean => {
    if (kind === "damaged") return (poses.flags[i] & DAMAGED) !== 0;
    if (kind === "dropped") return (poses.flags[i] & DROPPED) !== 0;
    return poses.hasConfidence && (poses.sigma[2 * i] > limits[0] || poses.sigma[2 * i + 1] > limits[1]);
  };
  for (const kind of ["damaged", "dropped", "uncertain"] as const) {
    let start = -1;
    for (let i = 0; i <= poses.count; ++i) {
      const marked = i < poses.count && is(i, kind);
      if (marked && start < 0) start = i;
      if (!marked && start >= 0) {
        spans.push({ from: poses.time[Math.max(0, start - 1)], to: poses.time[i - 1], kind });
        start = -1;
      }
    }
  }
  return spans;
}

function median(pairs: Float32Array, offset: number, count: number): number {
  const values = new Float32Array(Math.max(0, count - 1));
  for (let i = 1; i < count; ++i) values[i - 1] = pairs[2 * i + offset];
  values.sort();
  return values.length > 0 ? values[values.length >> 1] : Infinity;
}

// Indices of at most about 2 · buckets samples in [from, to): the extremes of `values` in each bucket, so that peaks stay.
export function thin(values: ArrayLike<number>, from: number, to: number, buckets: number): Uint32Array {
  const count = to - from;
  if (count <= 2 * buckets) return Uint32Array.from({ length: Math.max(0, count) }, (_, i) => from + i);
  const kept = new Uint32Array(2 * buckets + 2);
  let used = 0;
  kept[used++] = from;
  for (let bucket = 0; bucket < buckets; ++bucket) {
    const start = from + Math.floor((bucket * count) / buckets);
    const end = from + Math.floor(((bucket + 1) * count) / buckets);
    let low = start;
    let high = start;
    for (let i = start + 1; i < end; ++i) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    const first = Math.min(low, high);
    const second = Math.max(low, high);
    if (first > kept[used - 1]) kept[used++] = first;
    if (second > kept[used - 1]) kept[used++] = second;
  }
  if (kept[used - 1] < to - 1) kept[used++] = to - 1;
  return kept.slice(0, used);
}
