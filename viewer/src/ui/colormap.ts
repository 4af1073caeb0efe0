// SPDX-License-Identifier: Apache-2.0
// Low (blue) to high (yellow), as in path.png: perceptually ordered, and readable for the colour-blind.

const STOPS = [
  [0.17, 0.28, 0.67],
  [0.1, 0.48, 0.72],
  [0.13, 0.64, 0.62],
  [0.47, 0.76, 0.42],
  [0.86, 0.8, 0.2],
  [0.99, 0.9, 0.36],
];

// sRGB, 0 to 1; `fraction` outside 0 … 1 is clamped and NaN becomes grey.
export function colorAt(fraction: number, out: { [index: number]: number }, at = 0): void {
  if (Number.isNaN(fraction)) {
    out[at] = out[at + 1] = out[at + 2] = 0.5;
    return;
  }
  const place = Math.min(Math.max(0, fraction), 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(place), STOPS.length - 2);
  const rest = place - low;
  for (let k = 0; k < 3; ++k) out[at + k] = STOPS[low][k] * (1 - rest) + STOPS[low + 1][k] * rest;
}

export function cssGradient(): string {
  const stops = STOPS.map((stop) => `rgb(${stop.map((part) => Math.round(255 * part)).join(" ")})`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

// The values that get the lowest and the highest colour: the 2nd and 98th percentile, so that one outlier does not flatten all.
export function colorRange(values: Float32Array): [number, number] {
  const step = Math.max(1, Math.floor(values.length / 20000));
  const sample: number[] = [];
  for (let i = 0; i < values.length; i += step) if (Number.isFinite(values[i])) sample.push(values[i]);
  if (sample.length === 0) return [0, 1];
  sample.sort((a, b) => a - b);
  const low = sample[Math.floor(0.02 * (sample.length - 1))];
  const high = sample[Math.ceil(0.98 * (sample.length - 1))];
  return high > low ? [low, high] : [low, low + 1e-9];
}
