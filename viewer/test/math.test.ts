// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { PoseStore, type Columns } from "../src/data/columns.ts";
import { align, apply, fit, inverse, matchByTime, type Similarity } from "../src/math/align.ts";
import { symmetricEigen } from "../src/math/eigen.ts";
import { computeSeries, distrustedSpans, thin } from "../src/math/series.ts";
import { rotate } from "../src/math/vec.ts";

const near = (actual: number, expected: number, tolerance = 1e-6) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not near ${expected}`);

let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647 - 0.5;

// About x by `pitch`, in camera axes, and about y (down) by `turn`, radians.
function columns(count: number, pose: (i: number) => { p: number[]; q: number[] }): Columns {
  const result: Columns = {
    time: Float64Array.from({ length: count }, (_, i) => i / 10),
    frame: Uint32Array.from({ length: count }, (_, i) => i),
    position: new Float32Array(3 * count),
    quaternion: new Float32Array(4 * count),
    covariance: new Float32Array(12 * count),
    sigma: new Float32Array(2 * count).fill(0.01),
    flags: new Uint8Array(count),
  };
  for (let i = 0; i < count; ++i) {
    const { p, q } = pose(i);
    result.position.set(p, 3 * i);
    result.quaternion.set(q, 4 * i);
  }
  return result;
}

test("eigenvectors diagonalise a random symmetric matrix", () => {
  for (const n of [3, 4]) {
    const a = new Float64Array(n * n);
    for (let i = 0; i < n; ++i) for (let j = i; j < n; ++j) a[i * n + j] = a[j * n + i] = random();
    const { values, vectors } = symmetricEigen(a, n);
    for (let k = 0; k < n; ++k) {
      for (let i = 0; i < n; ++i) {
        let product = 0;
        for (let j = 0; j < n; ++j) product += a[i * n + j] * vectors[j * n + k];
        near(product, values[k] * vectors[i * n + k], 1e-12);
      }
    }
  }
});

test("fit recovers a similarity", () => {
  const q = [0.1, -0.5, 0.3, 0.7];
  const norm = Math.hypot(...q);
  const truth: Similarity = { scale: 1.7, quaternion: q.map((value) => value / norm), translation: [3, -2, 9] };
  const from = Float64Array.from({ length: 60 }, random);
  const to = new Float64Array(60);
  for (let i = 0; i < 20; ++i) apply(truth, from, 3 * i, to.subarray(3 * i));
  const found = fit(from, to, true);
  near(found.scale, 1.7, 1e-9);
  const point = [0, 0, 0];
  const back = [0, 0, 0];
  apply(found, [1, 2, 3], 0, point);
  apply(inverse(truth), point, 0, back);
  [1, 2, 3].forEach((value, k) => near(back[k], value, 1e-9));
  near(fit(from, to, false).scale, 1);
});

test("alignment at the first pose has no error there, SE(3) has the least", () => {
  const turn = (angle: number) => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
  const estimate = columns(40, (i) => ({ p: [Math.sin(i / 5), 0.02 * i, i / 8], q: turn(i / 20) }));
  const poses = new PoseStore(estimate);
  const moved: Similarity = { scale: 1.1, quaternion: turn(0.8), translation: [5, 1, 2] };
  const truth = { time: estimate.time, position: new Float32Array(120), quaternion: new Float32Array(160) };
  for (let i = 0; i < 40; ++i) {
    apply(moved, estimate.position, 3 * i, truth.position.subarray(3 * i));
    truth.quaternion.set(turn(0.8 + i / 20), 4 * i);
  }
  const origin = align(truth, poses, "origin", 0.01);
  near(origin.error[0], 0, 1e-5);
  const se3 = align(truth, poses, "se3", 0.01);
  const sim3 = align(truth, poses, "sim3", 0.01);
  assert.ok(origin.rmse > se3.rmse && se3.rmse > sim3.rmse);
  near(sim3.rmse, 0, 1e-5);
  near(sim3.truthFromEstimate.scale, 1.1, 1e-5);
});

test("times are matched once, within the tolerance", () => {
  assert.deepEqual([...matchByTime([0, 1, 2], [0.004, 1.5, 1.995, 2.002], 4, 0.01)], [0, 0, 2, 3]);
  assert.deepEqual([...matchByTime([0, 0.1, 0.2, 0.3], [0.1, 0.3], 2, 0.01)], [1, 0, 3, 1]);
  assert.deepEqual([...matchByTime([], [1], 1, 1)], []);
  assert.deepEqual([...matchByTime([1], [], 0, 1)], []);
});

test("angles: a left turn, a look up and a clockwise roll are positive", () => {
  const about = (axis: number, degrees: number) => {
    const q = [0, 0, 0, Math.cos((degrees * Math.PI) / 360)];
    q[axis] = Math.sin((degrees * Math.PI) / 360);
    return q;
  };
  // Camera axes: x right, y down, z ahead. Turning left moves the viewing direction towards −x.
  const left = [0, 0, 0];
  rotate(about(1, -30), 0, [0, 0, 1], 0, left);
  assert.ok(left[0] < 0);
  const poses = new PoseStore(columns(3, (i) => ({ p: [0, 0, i], q: [about(1, -30), about(0, 20), about(2, 10)][i] })));
  const series = computeSeries(poses);
  near(series.yaw[0], 30, 1e-4);
  near(series.pitch[1], 20, 1e-4);
  near(series.roll[2], 10, 1e-4);
  near(series.speed[1], 10, 1e-4);
  near(series.length[2], 2, 1e-6);
});

test("yaw is continuous over several turns", () => {
  const poses = new PoseStore(columns(100, (i) => ({ p: [0, 0, 0], q: [0, -Math.sin(i / 10), 0, Math.cos(i / 10)] })));
  const series = computeSeries(poses);
  near(series.yaw[99], (99 / 5) * (180 / Math.PI), 1e-2);
});

test("spans cover flagged and uncertain frames", () => {
  const data = columns(20, (i) => ({ p: [0, 0, i], q: [0, 0, 0, 1] }));
  data.flags[5] = 1;
  data.flags[6] = 1;
  data.flags[9] = 2;
  data.sigma[2 * 12] = 1;
  const spans = distrustedSpans(new PoseStore(data));
  assert.deepEqual(spans.map((span) => [span.kind, span.from, span.to]), [["damaged", 0.4, 0.6], ["dropped", 0.8, 0.9], ["uncertain", 1.1, 1.2]]);
});

test("thinning keeps peaks and ends", () => {
  const values = new Float32Array(100000);
  values[54321] = 9;
  const kept = thin(values, 0, values.length, 500);
  assert.ok(kept.length <= 1002 && kept.includes(54321) && kept[0] === 0 && kept[kept.length - 1] === 99999);
  assert.ok(kept.every((index, i) => i === 0 || index > kept[i - 1]));
  assert.equal(thin(values, 10, 15, 500).length, 5);
});
