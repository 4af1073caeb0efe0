// SPDX-License-Identifier: Apache-2.0
// Map points. Any first part of the drawn order is an even subsample, so that fewer can be drawn while the view moves.
import * as THREE from "three";
import type { MapPoints } from "../data/document.ts";

const SLOW_MS = 45; // between drawn frames
const FAST_MS = 22;
const LEAST = 20000;
const AT_REST = 20; // times as many may be drawn once

// sRGB bytes as 16-bit linear light.
const LINEAR = Uint16Array.from({ length: 256 }, (_, i) => {
  const value = i / 255;
  return Math.round(65535 * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
});

// A number below n and coprime to it, near the golden section: i · step mod n visits every index, evenly.
export function coprimeStep(n: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let step = Math.max(1, Math.floor(0.618 * n));
  while (divisor(n, step) !== 1) ++step;
  return step % n || 1;
}

export class PointCloud {
  readonly points: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private count = 0;
  private budget = 50000; // drawn while moving

  constructor() {
    this.points = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ size: 1.5, sizeAttenuation: false, vertexColors: true }));
    this.points.frustumCulled = false;
    this.points.visible = false;
  }

  setPoints(map: MapPoints | null): void {
    this.count = map ? map.position.length / 3 : 0;
    this.points.geometry.dispose();
    this.points.geometry = new THREE.BufferGeometry();
    if (!map || this.count === 0) return;
    const positions = new Float32Array(3 * this.count);
    const colors = new Uint16Array(3 * this.count); // linear light, for which 8 bits are too few
    const step = coprimeStep(this.count);
    for (let i = 0, from = 0; i < this.count; ++i, from = (from + step) % this.count) {
      for (let k = 0; k < 3; ++k) {
        positions[3 * i + k] = map.position[3 * from + k];
        colors[3 * i + k] = LINEAR[map.color[3 * from + k]];
      }
    }
    this.points.geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    this.points.geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3, true));
  }

  // Before each drawn frame: while moving as many points as keep the frame time, all at rest unless that takes too long.
  choose(moving: boolean, frameMs: number): void {
    if (this.count === 0) return;
    if (moving && frameMs > SLOW_MS) this.budget = Math.max(LEAST, Math.floor(0.5 * this.budget));
    if (moving && frameMs < FAST_MS) this.budget = Math.min(this.count, Math.floor(1.1 * this.budget) + 1);
    this.points.geometry.setDrawRange(0, Math.min(moving ? this.budget : AT_REST * this.budget, this.count));
  }
}
