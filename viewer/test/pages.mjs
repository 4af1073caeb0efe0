// SPDX-License-Identifier: Apache-2.0
// Synthetic runs as the page reads them, of any size, for tests and measurements.

const encode = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

// A winding drive at 30 frames per second: `poses` poses, `points` map points, ground truth 3 % longer.
export function syntheticRun({ title = "synthetic", poses = 300, points = 0, truth = true, refined = false, wobble = 0 } = {}) {
  const time = new Float64Array(poses);
  const frame = new Uint32Array(poses);
  const position = new Float32Array(3 * poses);
  const quaternion = new Float32Array(4 * poses);
  const covariance = new Float32Array(12 * poses);
  const sigma = new Float32Array(2 * poses);
  const flags = new Uint8Array(poses);
  const truthPosition = new Float32Array(3 * poses);
  let x = 0, z = 0;
  for (let i = 0; i < poses; ++i) {
    const s = i / Math.max(1, poses - 1);
    const heading = 2.4 * Math.sin(4 * Math.PI * s) + wobble * Math.sin(0.05 * i);
    const step = i === 0 ? 0 : 0.35 + 0.15 * Math.sin(9 * s);
    x += step * Math.sin(heading);
    z += step * Math.cos(heading);
    time[i] = i / 30;
    frame[i] = i;
    position.set([x, -0.4 * Math.sin(5 * s), z], 3 * i);
    quaternion.set([0, Math.sin(heading / 2), 0, Math.cos(heading / 2)], 4 * i);
    const variance = (0.02 + 2 * s) ** 2 * (i > 0 ? 1 : 0);
    covariance.set([variance, 0.3 * variance, 0, 0.2 * variance, 0, 0.7 * variance, 1e-4 * s, 0, 0, 3e-4 * s, 0, 1e-4 * s], 12 * i);
    const rough = i > 0.6 * poses && i < 0.63 * poses ? 5 : 1;
    sigma.set([rough * (0.01 + 0.008 * Math.sin(20 * s) ** 2), rough * 0.002], 2 * i);
    flags[i] = (i > 0.3 * poses && i < 0.32 * poses ? 1 : 0) | (i === Math.floor(0.8 * poses) ? 2 : 0);
    truthPosition.set([1.03 * x + 0.3 * Math.sin(7 * s), -0.3 * Math.sin(5 * s), 1.03 * z], 3 * i);
  }
  const document = {
    format: 1, title, frames: poses, stride: 1, max_diff_s: 0.01,
    path: {
      time: encode(time), frame: encode(frame), position: encode(position), quaternion: encode(quaternion),
      covariance: encode(covariance), sigma: encode(sigma), flags: encode(flags),
    },
  };
  if (truth) document.truth = { time: encode(time), position: encode(truthPosition), quaternion: encode(quaternion) };
  if (refined) {
    const network = position.map((value, i) => value * 1.05 + (i % 3 === 0 ? 0.4 * Math.sin(i / poses) : 0));
    document.network = { position: encode(network) };
    document.loops = { pose: encode(Uint32Array.from([5, Math.floor(0.5 * poses), 20, poses - 10])), inliers: encode(Uint32Array.from([80, 44])) };
    document.camera = { width: 640, height: 360, focal_px: 521.4, focal_sigma_px: 1.8, principal_point: [320, 180], k1: 0, origin: "estimated" };
  }
  if (points > 0) {
    const cloud = new Float32Array(3 * points);
    const color = new Uint8Array(3 * points);
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let i = 0; i < points; ++i) {
      const pose = Math.floor(random() * poses);
      for (let k = 0; k < 3; ++k) cloud[3 * i + k] = position[3 * pose + k] + [8, 2, 8][k] * (random() + random() - 1);
      color.set([90 + 120 * random(), 110 + 90 * random(), 100 + 60 * random()], 3 * i);
    }
    document.points = { position: encode(cloud), color: encode(color), total: points };
  }
  return document;
}

// The page that calfvo would write. `frames` is as FramesDocument in src/data/document.ts.
export function page(template, document, frames = null) {
  const block = (id, value) => `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>\n`;
  const data = block("calfvo-run", document) + (frames ? block("calfvo-frames", frames) : "");
  return template.replace("calfvo:connect", "'none'").replace("<!--calfvo:data-->", () => data);
}
